import { oneLine } from "../../../error-text.ts";
import { cellPlaceIn } from "../../page/cell-place.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

const MOST_ROWS = 100;
const MOST_COLUMNS = 60;

/** A cell that is taken by its place, where what the test wants stands in another column of the same rows: columns changed places, or the test counts wrongly. */
export function detectOtherColumn(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const at = cellPlaceIn(targetOf(evidence)) ?? cellPlaceIn(readBefore(evidence));
  if (seq === null || at === null || !run.page || failed.expected === null || failed.received === null)
    return [];
  const [want, got] = [failed.expected, failed.received].map(textsIn) as [string[], string[]];
  for (const table of tablesIn(run.page.elements)) {
    const column = (place: number) => table.rows.map((row) => row[place] ?? "");
    if (!holdsAll(column(at), got)) continue;
    const places = Array.from({ length: MOST_COLUMNS }, (_, place) => place);
    const other = places.find((place) => place !== at && holdsAll(column(place), want));
    if (other === undefined) continue;
    return [
      {
        kind: "page_changed",
        title: `The step looks at ${called(table, at)}, and ${quoted(want[0]!, 60)}, which it wants, stands in ${called(table, other)}: the columns changed places, or the test counts them otherwise`,
        detail: null,
        step_id: failed.step?.step_id ?? null,
        events: [seq, run.page.shot.seq],
        ts: failed.to,
        is_new: null,
        weight: 0.86,
        about: "columns",
      },
    ];
  }
  return [];
}

/** The locator of what the test read right before it compared it; empty where it read nothing. */
function readBefore({ run, failed }: Evidence): string {
  const last = run.facts.steps.findLast(({ ts, kind }) => kind === "agent.action" && ts <= failed.from);
  const isRead = last !== undefined && READS.test(last.name) && failed.from - last.end <= READ_WITHIN_MS;
  const at = isRead ? last.title.search(/\b(?:getBy|locator\()/) : -1;
  return at < 0 ? "" : last!.title.slice(at);
}

const READS = /(?:^|\.)(?:textContent|innerText|allTextContents|allInnerTexts|evalOnSelector(?:All)?)$/;
const READ_WITHIN_MS = 500;

/** The text that was wanted or met, or those of a list. */
const textsIn = (said: string): string[] => {
  const items = [...said.matchAll(/"((?:[^"\\]|\\.){1,300})"/g)].map(([, text]) => text!);
  return (items.length > 0 ? items : [bareOf(said)])
    .map((text) => oneLine(text))
    .filter((text) => text !== "");
};

/** Whether all of some texts are cells of a column, one after the other where they are several. */
const holdsAll = (cells: readonly string[], texts: readonly string[]): boolean => {
  const known = new Set(cells.map(bare));
  return texts.length > 0 && texts.every((text) => known.has(bare(text)));
};

/** Frameworks put a text together of pieces. */
const bare = (text: string): string => text.replace(/\s+/g, "");

interface Table {
  headings: string[];
  rows: string[][];
}

function tablesIn(elements: readonly SeenElement[]): Table[] {
  return elements
    .filter(({ tag, isHidden }) => tag === "table" && !isHidden)
    .map((table) => {
      const inside = insideOf(elements, table);
      const rows = inside.filter(({ tag }) => tag === "tr").slice(0, MOST_ROWS);
      const cellsOf = (row: SeenElement) =>
        insideOf(elements, row)
          .filter((cell) => /^t[dh]$/.test(cell.tag) && aroundOf(elements, cell).find(isRow) === row)
          .slice(0, MOST_COLUMNS);
      const cells = rows.map(cellsOf);
      const head = cells.find((row) => row.length > 1 && row.every(({ tag }) => tag === "th")) ?? [];
      const texts = (row: SeenElement[]) => row.map(({ text }) => oneLine(text));
      return { headings: texts(head), rows: cells.filter((row) => row !== head).map(texts) };
    });
}

const isRow = ({ tag }: SeenElement): boolean => tag === "tr";

const called = ({ headings }: Table, at: number): string =>
  `column ${at + 1}${headings[at] ? ` (${quoted(headings[at], 40)})` : ""}`;
