import { cellPlaceIn } from "../../page/cell-place.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { insideOf } from "../../page/within.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/** Headings of the columns of a table; tables of data have fewer. */
const MOST_COLUMNS = 60;
const MOST_TABLES = 20;

/** A table whose columns stand in another order than in every pass, or that has one more, or one less: what is looked for by its place is another cell. */
export function detectColumns(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null || passes.length === 0 || !run.page) return [];
  const mine = tablesOf(run);
  const theirs = passes.map(tablesOf);
  const read = readByPlace(evidence);
  const place = cellPlaceIn(read ?? targetOf(evidence));
  return mine.flatMap(({ name, columns, isHeaded }, at): Finding[] => {
    const usual = theirs.map((tables) => tables[at]?.columns);
    const [before] = usual;
    if (!before || usual.some((one) => one?.join("\n") !== before.join("\n"))) return [];
    const moved = movedIn(columns, before);
    if (moved === null) return [];
    return [
      {
        kind: "page_changed",
        title: `The table${name === "" ? "" : ` ${quoted(name, 60)}`} ${moved}${isHeaded ? "" : cellNow(place, columns, before)}`,
        detail: `- ${before.join(" | ")}\n+ ${columns.join(" | ")}`,
        step_id: failed.step?.step_id ?? null,
        events: [seq, run.page!.shot.seq],
        ts: failed.to,
        is_new: true,
        weight: read !== null || BY_PLACE.test(failed.title) ? 0.92 : 0.6,
        about: `columns ${at}`,
      },
    ];
  });
}

/** Locators that take one of several by its place. */
const BY_PLACE = /\.(?:nth\(|first\(\)|last\(\))|:nth-|>> nth=/;

const MOST_READS = 5;
const LOCATOR = /\b(?:getBy[A-Z]|locator\()/;

/** The locator of a cell by its place in its row, that the test read from right before it compared values; null where it did not. */
function readByPlace({ run: { facts }, failed }: Evidence): string | null {
  if (failed.step?.kind !== "assertion" || LOCATOR.test(`${failed.title} ${failed.message}`)) return null;
  const read = facts.steps
    .filter(({ seq }) => seq < failed.step!.seq)
    .slice(-MOST_READS)
    .flatMap(({ title }) => (LOCATOR.test(title) ? [title.slice(title.search(LOCATOR))] : []))
    .findLast((locator) => cellPlaceIn(locator) !== null);
  return read ?? null;
}

/** How the column is told that a step goes by. */
export const LOOKED_AT = ", which the step looks at,";

/** What stands at the place that the step looks at, as a clause; empty where that is not told, or the same. */
function cellNow(place: number | null, now: readonly string[], before: readonly string[]): string {
  const [here, there] = place === null ? [] : [now[place], before[place]];
  return here && there && here !== there
    ? `, so that column ${place! + 1}${LOOKED_AT} is ${quoted(here, 40)} now and no longer ${quoted(there, 40)}`
    : "";
}

interface Table {
  name: string;
  columns: string[];
  /** Whether its rows have headings of their own, which no place of a cell counts. */
  isHeaded: boolean;
}

function tablesOf({ page }: RunEvidence): Table[] {
  const elements = page?.elements ?? [];
  return elements
    .filter(({ tag, isHidden }) => tag === "table" && !isHidden)
    .slice(0, MOST_TABLES)
    .map((table) => {
      const inside = insideOf(elements, table);
      const caption = inside.find(({ tag }) => tag === "caption");
      return {
        name: table.attributes["aria-label"] ?? caption?.text ?? "",
        columns: inside.filter(isHeading).slice(0, MOST_COLUMNS).map(said),
        isHeaded: inside.some(({ tag, attributes }) => tag === "th" && attributes.scope === "row"),
      };
    });
}

const isHeading = ({ tag, attributes }: SeenElement): boolean => tag === "th" && attributes.scope !== "row";
const said = ({ text }: SeenElement): string => text;

/** How the columns of a table stand otherwise; null where they are the same, or others. */
function movedIn(now: readonly string[], before: readonly string[]): string | null {
  const come = now.filter((one) => !before.includes(one));
  const gone = before.filter((one) => !now.includes(one));
  const at = now.findIndex((one, place) => one !== before[place]);
  if (at < 0 && now.length === before.length) return null;
  if (come.length === 0 && gone.length === 0 && now.length === before.length)
    return `has its columns in another order than in the last pass: ${quoted(now[at]!, 40)} stands where that has ${quoted(before[at]!, 40)}`;
  if (come.length === 1 && gone.length === 0)
    return `has a column ${quoted(come[0]!, 40)} that it has not in the last pass`;
  return gone.length === 1 && come.length === 0
    ? `has no column ${quoted(gone[0]!, 40)}, which it has in the last pass`
    : null;
}
