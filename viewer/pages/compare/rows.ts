import type { Change, ComparedDimension, DiffItem } from "../../../server/trace/format/diff/types.ts";
import { shortUrl } from "../../ui/text.ts";
import type { Difference } from "./address.ts";
import { itemId } from "./address.ts";

/** A line of the list: an item, or a run of items that are the same in both. */
export type Row = { kind: "item"; id: string; item: DiffItem } | { kind: "fold"; id: string; count: number };

/** Fewer than these are shown as they are. */
const LEAST_FOLDED = 2;

export const WORDS: Record<Change, string> = {
  added: "Only in B",
  removed: "Only in A",
  changed: "Changed",
  same: "Same",
};

/** Rows of the items that fit; runs of the same ones are folded unless their id is among `open`, or all are. */
export function rowsOf(
  items: readonly DiffItem[],
  options: { q: string; changes: readonly Difference[]; open: ReadonlySet<string> | "all" },
): Row[] {
  const rows: Row[] = [];
  let run: DiffItem[] = [];
  const closeRun = () => {
    const [first] = run;
    if (!first) return;
    const id = `same ${itemId(first)}`;
    const isOpen = run.length < LEAST_FOLDED || options.open === "all" || options.open.has(id);
    if (isOpen) for (const item of run) rows.push({ kind: "item", id: itemId(item), item });
    else rows.push({ kind: "fold", id, count: run.length });
    run = [];
  };
  const wanted = options.q.trim().toLowerCase();
  for (const item of items) {
    if (wanted !== "" && !searchText(item).includes(wanted)) continue;
    if (item.change === "same") {
      if (options.changes.length === 0) run.push(item);
      continue;
    }
    if (options.changes.length > 0 && !options.changes.includes(item.change)) continue;
    closeRun();
    rows.push({ kind: "item", id: itemId(item), item });
  }
  closeRun();
  return rows;
}

function searchText(item: DiffItem): string {
  return `${item.key} ${JSON.stringify(item.a ?? "")} ${JSON.stringify(item.b ?? "")} ${JSON.stringify(item.detail?.differences ?? "")}`.toLowerCase();
}

/** The folded run that an item is hidden in; null when it is shown. */
export function foldOf(items: readonly DiffItem[], id: string): string | null {
  const at = items.findIndex((item) => itemId(item) === id);
  if (at < 0 || items[at]?.change !== "same") return null;
  let first = at;
  while (first > 0 && items[first - 1]?.change === "same") first -= 1;
  return `same ${itemId(items[first]!)}`;
}

const text = (of: unknown) => (typeof of === "string" ? of : "");

/** What a row says of its item: the name, and what differs in a few characters. */
export function labelOf(dimension: ComparedDimension, item: DiffItem): { name: string; note: string } {
  const { key, a, b, detail } = item;
  const side = b ?? a;
  const times = detail?.times ? timesNote(detail.times) : "";
  if (dimension === "steps") {
    const [before, after] = [text(a?.title), text(b?.title)];
    const isRenamed = a && b && detail?.differences?.some(({ path }) => path === "/title");
    return {
      name: isRenamed ? `${before} → ${after}` : after || before || key,
      note: a && b ? gapNote(a.duration_ms, b.duration_ms) : "",
    };
  }
  if (dimension === "network") {
    const name = `${text(side?.method)} ${shortUrl(text(side?.url)).path}`;
    const [before, after] = [a && statusOf(a), b && statusOf(b)];
    return {
      name,
      note: [before && after && before !== after ? `${before} → ${after}` : (after ?? before), times]
        .filter(Boolean)
        .join(", "),
    };
  }
  if (dimension === "console") {
    return {
      name: text(side?.text) || key,
      note: [text(side?.kind).replace("console.", ""), times].filter(Boolean).join(", "),
    };
  }
  if (dimension === "clone")
    return { name: `${text(side?.subject)}`.trim() || key, note: text(side?.kind).replace("_", " ") };
  if (key === "page" || key.startsWith("page ")) {
    const [before, after] = [shortUrl(text(a?.url)).path, shortUrl(text(b?.url)).path];
    return { name: item.change === "changed" ? `${before} → ${after}` : after || before, note: "page" };
  }
  const [before, after] = [text(a?.text), text(b?.text)];
  const words =
    a && b && before !== after ? `${before || "nothing"} → ${after || "nothing"}` : after || before;
  return { name: words ? `${key} ${words}` : key, note: times };
}

const statusOf = ({ status, error }: NonNullable<DiffItem["a"]>) =>
  typeof status === "number" && status > 0 ? String(status) : error ? "failed" : "no answer";

function timesNote({ a, b }: { a: number; b: number }): string {
  if (a === 0 || b === 0) return `${Math.max(a, b)} ×`;
  return a === b ? `${a} ×` : `${a} → ${b} ×`;
}

/** Gaps that a person would notice: a tenth of a second, and a fifth of what it took. */
function gapNote(before: unknown, after: unknown): string {
  if (typeof before !== "number" || typeof after !== "number") return "";
  const gap = after - before;
  if (Math.abs(gap) < 100 || Math.abs(gap) < before / 5) return "";
  const shown =
    Math.abs(gap) < 1000 ? `${Math.round(Math.abs(gap))} ms` : `${(Math.abs(gap) / 1000).toFixed(1)} s`;
  return `${gap < 0 ? "−" : "+"}${shown}`;
}
