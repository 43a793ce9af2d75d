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

const HOUR_MS = 60 * 60_000;
/** Parts from this width on begin on whole hours, so that no hour is counted trace by trace. */
const WIDE_PART_MS = 6 * HOUR_MS;
/** `ord` counts milliseconds × 4096. */
const PER_MS = 4096;
const HOUR = HOUR_MS * PER_MS;
/** As the partial index has it, word for word, or SQLite would not use it. */
const FAILURES =
  "failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL";

/** What of a part is counted together: hours since 1970 or `ord`s, `since` included, `until` not. */
interface Span {
  part: number;
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
  const groups = new Map<string, FailureGroup>();
  for (const { signature, total, newest, ...part } of await rowsOf<PartOfGroup>(records, query)) {
    const group = groups.get(signature) ?? { signature, count: total, last_ord: newest, parts: [] };
    group.parts.push(part);
    groups.set(signature, group);
  }
  return [...groups.values()];
}

interface PartOfGroup extends FailurePart {
  signature: string;
  /** Of the group. */
  total: number;
  newest: number;
}

/**
 * The SQL of a page of groups and their parts, the groups in order: of whole hours what triggers counted, of what is left of a part a scan of one
 * index, without rows. Null for a period without a millisecond. Exported for a test of its plan.
 */
export function failureGroupsQuery(
  engine: Engine,
  filters: FailureFilters,
  page: FailurePage,
): SqlText | null {
  const { hours, moments } = spansOf(filters, page.parts);
  const counted = [hoursWithin(engine, filters, hours), tracesWithin(engine, filters, moments)].filter(
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
    sql: `WITH parts AS MATERIALIZED (${counted.map(({ sql }) => sql).join(" UNION ALL ")}),
      groups AS MATERIALIZED (
        SELECT signature, CAST(sum(count) AS BIGINT) AS total, max(last_ord) AS newest
        FROM parts GROUP BY signature ${having} ORDER BY ${isByCount ? "2 DESC, 3 DESC" : "3 DESC"} LIMIT ?)
      SELECT groups.signature, total, newest, scenario_id, part, count, last_ord
      FROM groups JOIN parts ON parts.signature = groups.signature
      ORDER BY ${isByCount ? "total DESC, newest DESC" : "newest DESC"}`,
    parameters: [...counted.flatMap(({ parameters }) => parameters), ...place, page.limit],
  };
}

/** A period in equal parts: the hours that lie in one of them whole, and what else there is of each. */
function spansOf({ from, to, words }: FailureFilters, parts: number): { hours: Span[]; moments: Span[] } {
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
  const hours: Span[] = [];
  const moments: Span[] = [];
  for (let part = 0; part < parts; part++) {
    const [since, until] = [borderOf(part), part + 1 === parts ? end : borderOf(part + 1)];
    const [first, last] = [Math.ceil(since / HOUR), Math.floor(until / HOUR)];
    // Words are looked for in each trace.
    if (words !== undefined || last <= first) moments.push({ part, since, until });
    else {
      moments.push({ part, since, until: first * HOUR }, { part, since: last * HOUR, until });
      hours.push({ part, since: first, until: last });
    }
  }
  return { hours, moments: moments.filter(({ since, until }) => since < until) };
}

/** Spans as a table for FROM. */
function tableOf(spans: readonly Span[]): SqlText {
  const row = "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))";
  return {
    sql: `(SELECT column1 AS part, column2 AS since, column3 AS until
      FROM (VALUES ${spans.map(() => row).join(", ")}) AS given) AS spans`,
    parameters: spans.flatMap(({ part, since, until }) => [part, since, until]),
  };
}

/** What triggers counted of these hours, by part, signature and scenario. */
function hoursWithin({ hints }: Engine, filters: FailureFilters, hours: readonly Span[]): SqlText | null {
  if (hours.length === 0) return null;
  const spans = tableOf(hours);
  const named = conditionsOf(filters);
  return {
    sql: `SELECT part, signature, scenario_id, CAST(sum(count) AS BIGINT) AS count, max(last_ord) AS last_ord
      FROM ${spans.sql} ${hints.joinAfter} failure_hours ON ${named.sql} AND hour >= since AND hour < until
      GROUP BY part, signature, scenario_id`,
    parameters: [...spans.parameters, ...named.parameters],
  };
}

/** The failures of these `ord`s, by part, signature and scenario. */
function tracesWithin(engine: Engine, filters: FailureFilters, moments: readonly Span[]): SqlText | null {
  if (moments.length === 0) return null;
  const spans = tableOf(moments);
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

/** What filters say of hours and traces alike. */
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
