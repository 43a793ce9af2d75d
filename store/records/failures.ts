import type { Records } from "./db.ts";
import { engineOf, rowsOf } from "./engine/engine-of.ts";
import type { Engine, SqlText } from "./engine/types.ts";
import type { TraceSource } from "./schema.ts";
import type { SearchTerm } from "./search-text.ts";

/** Which failures are grouped. Times are epoch ms, `from` included, `to` excluded. */
export interface FailureFilters {
  orgId: string;
  from: number;
  to: number;
  scenarioId?: string;
  source?: TraceSource;
  /** Of the failure's message and the scenario's title. */
  words?: SearchTerm[];
}

export type FailureSort = "last_seen" | "count";

/** The last group of the page before. */
export interface FailurePlace {
  count: number;
  lastOrd: number;
}

/** How often a signature was seen in a scenario in one of the equal parts of the period. */
export interface FailurePart {
  scenario_id: string;
  part: number;
  count: number;
  last_ord: number;
}

/** One signature with how often and when it was seen in the period. */
export interface FailureGroup {
  signature: string;
  count: number;
  last_ord: number;
  /** A scenario may stand twice in a part. */
  parts: FailurePart[];
}

/** Which groups: `parts` is into how many equal parts their period is divided. */
export interface FailurePage {
  sort: FailureSort;
  after: FailurePlace | null;
  limit: number;
  parts: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Parts from this width on begin on whole hours, so that no block is counted trace by trace. */
const WIDE_PART_MS = 6 * HOUR_MS;
/** `ord` counts milliseconds × 4096. */
const PER_MS = 4096;
const MINUTE = MINUTE_MS * PER_MS;
const HOUR = HOUR_MS * PER_MS;
/** Widths of the blocks in which triggers count, minutes: each divides the one before it. */
const BLOCKS = [1440, 360, 180, 60, 10];
const LEAST_BLOCK = BLOCKS.at(-1)!;
/** As the partial index has it, word for word, or SQLite would not use it. */
const FAILURES =
  "failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL";

/** Traces of a part that are counted one by one: their `ord`s, `since` included, `until` not. */
interface Moments {
  part: number;
  since: number;
  until: number;
}

/** Blocks of one width that a part holds whole: the first included, the last not. */
interface Blocks {
  part: number;
  minutes: number;
  since: number;
  until: number;
}

/** One page of groups, and one more where there is one. */
export async function listFailureGroups(
  records: Records,
  filters: FailureFilters,
  page: FailurePage,
): Promise<FailureGroup[]> {
  const query = failureGroupsQuery(engineOf(records), filters, page);
  if (query === null) return [];
  const rows = await rowsOf<Omit<FailureGroup, "parts"> & { cells: string }>(records, query);
  return rows.map(({ cells, ...group }) => ({ ...group, parts: readCells(cells) }));
}

/** A cell as text, whose separators no id and no number holds. */
const CELL = "scenario_id || ' ' || part || ' ' || count || ' ' || last_ord || ','";

const [SPACE, COMMA, ZERO] = [" ", ",", "0"].map((one) => one.charCodeAt(0));

/** Cells side by side. A page has thousands, so that they are read letter by letter, without a text for each number. */
function readCells(text: string): FailurePart[] {
  const cells: FailurePart[] = [];
  let at = 0;
  function number(end: number | undefined): number {
    let read = 0;
    for (let code = text.charCodeAt(at); at < text.length && code !== end; code = text.charCodeAt(++at))
      read = read * 10 + code - ZERO!;
    at++;
    return read;
  }
  while (at < text.length) {
    const end = text.indexOf(" ", at);
    const scenario_id = text.slice(at, end);
    at = end + 1;
    cells.push({ scenario_id, part: number(SPACE), count: number(SPACE), last_ord: number(COMMA) });
  }
  return cells;
}

/**
 * The SQL of a page of groups and their parts, the groups in order: of whole blocks what triggers counted, of what is left
 * of a part a scan of one index, without rows. What a group is made of is one text, as reading a row for each would take
 * longer than counting them. Null for a period without a millisecond. Exported for a test of its plan.
 */
export function failureGroupsQuery(
  engine: Engine,
  filters: FailureFilters,
  page: FailurePage,
): SqlText | null {
  const { blocks, moments } = spansOf(filters, page.parts);
  const counted = [blocksWithin(engine, filters, blocks), tracesWithin(engine, filters, moments)].filter(
    (text) => text !== null,
  );
  if (counted.length === 0) return null;
  const isByCount = page.sort === "count";
  const after = page.after;
  const having =
    after === null
      ? ""
      : isByCount
        ? "HAVING sum(count) < ? OR (sum(count) = ? AND max(last_ord) < ?)"
        : "HAVING max(last_ord) < ?";
  const place = after === null ? [] : isByCount ? [after.count, after.count, after.lastOrd] : [after.lastOrd];
  return {
    sql: `SELECT signature, CAST(sum(count) AS BIGINT) AS count, max(last_ord) AS last_ord, string_agg(${CELL}, '') AS cells
      FROM (${counted.map(({ sql }) => sql).join(" UNION ALL ")}) AS parts
      GROUP BY signature ${having} ORDER BY ${isByCount ? "2 DESC, 3 DESC" : "3 DESC"} LIMIT ?`,
    parameters: [...counted.flatMap(({ parameters }) => parameters), ...place, page.limit],
  };
}

/** A period in equal parts: the blocks that lie in one of them whole, and what else there is of each. */
function spansOf(
  { from, to, words }: FailureFilters,
  parts: number,
): { blocks: Blocks[]; moments: Moments[] } {
  const width = Math.max(parts, to - from);
  const isWide = width >= parts * WIDE_PART_MS;
  const end = to * PER_MS;
  /** The first `ord` of a part. In two steps, as the product of all is no whole number that JavaScript has. */
  const borderOf = (part: number) => {
    const ms = Math.floor((part * width) / parts);
    const rest = part * width - ms * parts;
    const border = (from + ms) * PER_MS + Math.ceil((rest * PER_MS) / parts);
    return Math.min(end, isWide && part > 0 ? Math.ceil(border / HOUR) * HOUR : border);
  };
  const blocks: Blocks[] = [];
  const moments: Moments[] = [];
  const least = LEAST_BLOCK * MINUTE;
  for (let part = 0; part < parts; part++) {
    const [since, until] = [borderOf(part), part + 1 === parts ? end : borderOf(part + 1)];
    const [first, last] = [Math.ceil(since / least) * least, Math.floor(until / least) * least];
    // Words are looked for in each trace.
    if (words !== undefined || last <= first) moments.push({ part, since, until });
    else {
      moments.push({ part, since, until: first }, { part, since: last, until });
      for (const run of blocksBetween(first / MINUTE, last / MINUTE)) blocks.push({ part, ...run });
    }
  }
  return { blocks, moments: moments.filter(({ since, until }) => since < until) };
}

/** The widest blocks that cover a time between two minutes since 1970, which are borders of the least ones. */
function* blocksBetween(first: number, last: number): Generator<Omit<Blocks, "part">> {
  for (let at = first; at < last; ) {
    const size = BLOCKS.findIndex((width) => at % width === 0 && at + width <= last);
    const minutes = BLOCKS[size]!;
    const wider = BLOCKS[size - 1] ?? Number.POSITIVE_INFINITY;
    const count = Math.floor((Math.min(last, (Math.floor(at / wider) + 1) * wider) - at) / minutes);
    yield { minutes, since: at / minutes, until: at / minutes + count };
    at += count * minutes;
  }
}

/** Rows of whole numbers as a table `spans` for FROM. The first row says of which type they are. */
function tableOf(columns: readonly string[], rows: readonly number[][]): SqlText {
  const first = `(${columns.map(() => "CAST(? AS BIGINT)").join(", ")})`;
  const other = `, (${columns.map(() => "?").join(", ")})`;
  return {
    sql: `(SELECT ${columns.map((name, at) => `column${at + 1} AS ${name}`).join(", ")}
      FROM (VALUES ${first}${other.repeat(rows.length - 1)}) AS given) AS spans`,
    parameters: rows.flat(),
  };
}

/** What triggers counted of these blocks. */
function blocksWithin({ hints }: Engine, filters: FailureFilters, blocks: readonly Blocks[]): SqlText | null {
  if (blocks.length === 0) return null;
  const spans = tableOf(
    ["part", "width", "since", "until"],
    blocks.map(({ part, minutes, since, until }) => [part, minutes, since, until]),
  );
  const named = conditionsOf(filters);
  return {
    sql: `SELECT part, signature, scenario_id, count, last_ord
      FROM ${spans.sql} ${hints.joinAfter} failure_blocks
      ON ${named.sql} AND minutes = width AND block >= since AND block < until`,
    parameters: [...spans.parameters, ...named.parameters],
  };
}

/** The failures of these moments, by part, signature and scenario. */
function tracesWithin(engine: Engine, filters: FailureFilters, moments: readonly Moments[]): SqlText | null {
  if (moments.length === 0) return null;
  const spans = tableOf(
    ["part", "since", "until"],
    moments.map(({ part, since, until }) => [part, since, until]),
  );
  const named = conditionsOf(filters);
  const inWords = filters.words && engine.fullText.namesFailure(filters.words);
  return {
    sql: `SELECT part, failure_signature AS signature, scenario_id, count(*) AS count, max(ord) AS last_ord
      FROM ${spans.sql} ${engine.hints.joinAfter} ${engine.hints.through("traces", "traces_failures")}
      ON ${named.sql} AND ord >= since AND ord < until AND ${FAILURES}${inWords ? ` AND ${inWords.sql}` : ""}
      GROUP BY part, failure_signature, scenario_id`,
    parameters: [...spans.parameters, ...named.parameters, ...(inWords?.parameters ?? [])],
  };
}

/** What filters say of blocks and traces alike. */
function conditionsOf({ orgId, scenarioId, source }: FailureFilters): SqlText {
  const equal = Object.entries({ org_id: orgId, scenario_id: scenarioId, source });
  const given = equal.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    sql: given.map(([column]) => `${column} = ?`).join(" AND "),
    parameters: given.map(([, value]) => value),
  };
}

/** Epoch ms at which a signature was first seen in the traces that are kept, of one scenario or of all. */
export async function firstSeen(
  records: Records,
  orgId: string,
  signature: string,
  scenarioId?: string,
): Promise<number | null> {
  const traces = engineOf(records).hints.through("traces", "traces_by_signature");
  const [row] = await rowsOf<{ created_at: number }>(records, {
    sql: `SELECT created_at FROM ${traces}
      WHERE org_id = ? AND failure_signature = ? AND ${FAILURES}${
        scenarioId === undefined ? "" : " AND scenario_id = ?"
      } ORDER BY ord LIMIT 1`,
    parameters: [orgId, signature, ...(scenarioId === undefined ? [] : [scenarioId])],
  });
  return row?.created_at ?? null;
}
