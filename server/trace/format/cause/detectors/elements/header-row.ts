import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, partsOf } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { counterpart } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

const MOST_NAMED = 3;
const TAKES_FIRST = /\.(?:first\(\)|nth\(0\))$/;

/** A locator that takes the first row of a table, which is the one with the headings of its columns. */
export function detectHeaderRow(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const parts = partsOf(targetOf(evidence));
  const at = parts.findIndex((part) => TAKES_FIRST.test(part));
  if (seq === null || run.page === null || at < 0) return [];
  const locator = parts.slice(0, at + 1).join(".");
  const row = headerIn(run, locator);
  if (!row || passes.some((pass) => isDoneSo(evidence, pass) && headerIn(pass, locator))) return [];
  const names = row.headings.map(({ text }) => text).filter((text) => text !== "");
  const few = names.slice(0, MOST_NAMED).map((name) => quoted(name, 30));
  const isWanted = failed.expected !== null && row.next?.text.includes(bareOf(failed.expected));
  return [
    {
      kind: "test_code",
      title: `${locator} is the header row of the table (${few.join(", ")}${names.length > few.length ? ", …" : ""}), and no row of what it lists${isWanted ? `: ${quoted(bareOf(failed.expected!), 60)} stands in the row after it` : ""}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.86,
      about: `header ${seq}`,
    },
  ];
}

/** The row that a locator takes, with the one after it, where it has headings of columns alone. */
function headerIn(
  { page }: RunEvidence,
  locator: string,
): { headings: SeenElement[]; next: SeenElement | undefined } | null {
  const elements = page?.elements ?? [];
  const [row, next] = foundWithin(locator, elements);
  if (row?.role !== "row") return null;
  const headings = insideOf(elements, row).filter(({ role }) => CELLS.has(role));
  const isHeader = headings.length > 1 && headings.every(({ role }) => role === "columnheader");
  return isHeader ? { headings, next } : null;
}

const CELLS = new Set(["columnheader", "rowheader", "cell", "gridcell"]);

const isDoneSo = ({ run, failed: { step } }: Evidence, pass: RunEvidence): boolean =>
  step !== null && counterpart(run.facts, step, pass.facts)?.isFailed === false;
