import type { Change, ComparedDimension, DiffItem } from "../../../server/trace/format/diff/types.ts";
import { setQuery } from "../../router.ts";

/** The tabs of the page, in order. `word` names what is counted. */
export const TABS: readonly { id: ComparedDimension; title: string; empty: string }[] = [
  { id: "steps", title: "Steps", empty: "Neither trace has steps." },
  { id: "network", title: "Network", empty: "Neither trace has requests." },
  { id: "dom", title: "Page", empty: "No page was recorded in both traces at the same step." },
  { id: "clone", title: "World", empty: "Neither trace has clones, moves of the clock or injected faults." },
  { id: "console", title: "Console", empty: "Neither console said anything." },
];

export const CHANGES = ["added", "removed", "changed"] as const;
export type Difference = (typeof CHANGES)[number];

/** What the address holds. */
export interface CompareAddress {
  a: string | null;
  b: string | null;
  dimension: ComparedDimension;
  /** The chosen item, as `itemId` names it. */
  item: string | null;
  /** Kinds of difference that are shown; all of them when none is named. */
  changes: readonly Difference[];
  isRaw: boolean;
  q: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function uuid(text: string | null): string | null {
  return text !== null && UUID.test(text) ? text.toLowerCase() : null;
}

/** Reads the address; what makes no sense is absent. */
export function readAddress(params: URLSearchParams): CompareAddress {
  const named = (params.get("change") ?? "").split(",");
  return {
    a: uuid(params.get("a")),
    b: uuid(params.get("b")),
    dimension: TABS.find(({ id }) => id === params.get("dimension"))?.id ?? "steps",
    item: params.get("item"),
    changes: CHANGES.filter((change) => named.includes(change)),
    isRaw: params.get("raw") === "1",
    q: params.get("q") ?? "",
  };
}

/** Another dimension, as a new entry of the history. */
export function goTo(dimension: ComparedDimension, item: string | null = null): void {
  setQuery({ dimension, item, change: null, q: null });
}

export function chooseItem(item: string | null, options: { isJump?: boolean } = {}): void {
  setQuery({ item }, { replace: !options.isJump });
}

export function setChanges(changes: readonly Change[]): void {
  setQuery({ change: changes.join(",") }, { replace: true });
}

/** Names an item by its places in both traces, which stay the same however it is asked for. */
export function itemId({ a, b, key }: DiffItem): string {
  return `${a?.seq ?? "-"}.${b?.seq ?? "-"}.${key.slice(0, 40)}`;
}

/** The page that compares two traces; without the first one it finds the last pass itself. */
export function comparePath(a: string | null, b: string): string {
  return a === null ? `/compare?b=${b}` : `/compare?a=${a}&b=${b}`;
}
