import type { Records } from "./db.ts";
import { engineOf, marksFor, rowsOf } from "./engine/engine-of.ts";
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

/** One signature with how often and when it was seen in the period. */
export interface FailureGroup {
  signature: string;
  count: number;
  last_ord: number;
}

/** How often a signature was seen in a scenario in one of the equal parts of the period. */
export interface FailurePart {
  signature: string;
  scenario_id: string;
  part: number;
  count: number;
  last_ord: number;
}

const HOUR_MS = 60 * 60_000;
/** Parts from this width on begin on whole hours. */
const WIDE_PART_MS = 6 * HOUR_MS;
/** `ord` counts milliseconds × 4096. */
const PER_MS = 4096;
/** As the partial index has it, word for word, or SQLite would not use it. */
const FAILURES =
  "failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL";

const HOUR = HOUR_MS * PER_MS;

/**
 * Which of equal parts of the period `at` lies in: first `ord`, parts, width of all. Whole numbers, so that division cuts off: also what lies
 * less than an hour before the period down to its first part.
 */
const partOf = (at: string) => `(${at} - CAST(? AS BIGINT)) * CAST(? AS BIGINT) / CAST(? AS BIGINT)`;

/**
 * One page of groups, and one more where there is one: of whole hours what triggers counted, of the rest a scan of one index, without rows.
 */
export async function listFailureGroups(
  records: Records,
  filters: FailureFilters,
  page: { sort: FailureSort; after: FailurePlace | null; limit: number },
): Promise<FailureGroup[]> {
  return rowsOf<FailureGroup>(records, failureGroupsQuery(engineOf(records), filters, page));
}

/** The SQL of a page of groups, for a test of its plan. */
export function failureGroupsQuery(
  engine: Engine,
  filters: FailureFilters,
  page: { sort: FailureSort; after: FailurePlace | null; limit: number },
): SqlText {
  const cells = cellsOf(engine, filters, []);
  const after = page.after;
  const having =
    after === null
      ? ""
      : page.sort === "count"
        ? "HAVING sum(count) < ? OR (sum(count) = ? AND max(last_ord) < ?)"
        : "HAVING max(last_ord) < ?";
  const place =
    after === null ? [] : page.sort === "count" ? [after.count, after.count, after.lastOrd] : [after.lastOrd];
  return {
    sql: `SELECT signature, CAST(sum(count) AS BIGINT) AS count, max(last_ord) AS last_ord
      FROM (${cells.sql}) AS cells GROUP BY signature ${having}
      ORDER BY ${page.sort === "count" ? "2 DESC, 3 DESC" : "3 DESC"} LIMIT ?`,
    parameters: [...cells.parameters, ...place, page.limit],
  };
}

/**
 * How the traces of some groups lie over their scenarios and over `parts` equal parts of the period. Where parts are six hours wide or wider, an
 * hour belongs whole to the part in which it begins, so that no hour is counted trace by trace.
 */
export async function failureParts(
  records: Records,
  filters: FailureFilters,
  signatures: string[],
  parts: number,
): Promise<FailurePart[]> {
  if (signatures.length === 0) return [];
  const { from, to } = filters;
  const width = Math.max(parts, to - from);
  const isWide = width >= parts * WIDE_PART_MS;
  const cells = cellsOf(engineOf(records), filters, isWide ? [] : sharedHours(from, width, parts));
  const part = partOf(isWide ? `ord / ${HOUR} * ${HOUR}` : "ord");
  return rowsOf<FailurePart>(records, {
    sql: `SELECT signature, scenario_id, CAST(sum(count) AS BIGINT) AS count, max(last_ord) AS last_ord, ${part} AS part
      FROM (${cells.sql}) AS cells WHERE signature IN (${marksFor(signatures)})
      GROUP BY signature, scenario_id, part`,
    parameters: [from * PER_MS, parts, width * PER_MS, ...cells.parameters, ...signatures],
  });
}

/** Hours of which one part of the period has a piece and another part the rest. */
function sharedHours(from: number, width: number, parts: number): number[] {
  const shared = new Set<number>();
  for (let part = 1; part < parts; part++) {
    const border = from + (part * width) / parts;
    // A border that is no whole millisecond is not known to the last digit.
    const near = Number.isInteger(border) ? [border, border - 1 / PER_MS] : [border + 1, border - 1];
    const hours = near.map((at) => Math.floor(at / HOUR_MS));
    if (hours[0] === hours[1] || !Number.isInteger(border)) for (const hour of hours) shared.add(hour);
  }
  return [...shared];
}

/**
 * The failures of a period as cells of (signature, scenario, moment, count, newest): of whole hours those that triggers count, of what is left of
 * the period and of `apart` (hours) each trace by itself.
 */
function cellsOf(engine: Engine, filters: FailureFilters, apart: readonly number[]): SqlText {
  const { from, to } = filters;
  const [first, end] = [Math.ceil(from / HOUR_MS), Math.floor(to / HOUR_MS)];
  // Words are looked for in each trace; a few hours are as quick to scan.
  if (filters.words !== undefined || end - first <= 2 * apart.length)
    return tracesWithin(engine, filters, from, to);
  const within = apart.filter((hour) => hour >= first && hour < end);
  const parts: SqlText[] = [hoursWithin(filters, first, end, within)];
  const edges = [
    [from, first * HOUR_MS],
    ...within.map((hour) => [hour * HOUR_MS, (hour + 1) * HOUR_MS] as const),
    [end * HOUR_MS, to],
  ] as const;
  for (const [since, until] of edges)
    if (until > since) parts.push(tracesWithin(engine, filters, since, until));
  return {
    sql: parts.map(({ sql }) => sql).join(" UNION ALL "),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

function hoursWithin(filters: FailureFilters, first: number, end: number, besides: number[]): SqlText {
  const conditions = ["org_id = ? AND hour >= ? AND hour < ?"];
  const parameters: (string | number)[] = [filters.orgId, first, end];
  if (besides.length > 0) {
    conditions.push(`hour NOT IN (${marksFor(besides)})`);
    parameters.push(...besides);
  }
  if (filters.scenarioId !== undefined) {
    conditions.push("scenario_id = ?");
    parameters.push(filters.scenarioId);
  }
  if (filters.source !== undefined) {
    conditions.push("source = ?");
    parameters.push(filters.source);
  }
  return {
    sql: `SELECT signature, scenario_id, hour * ${HOUR} AS ord, count, last_ord
      FROM failure_hours WHERE ${conditions.join(" AND ")}`,
    parameters,
  };
}

/** Each failure from `from` on, before `to` (epoch ms). */
function tracesWithin(engine: Engine, filters: FailureFilters, from: number, to: number): SqlText {
  const { sql, parameters } = where(engine, { ...filters, from, to });
  return {
    sql: `SELECT failure_signature AS signature, scenario_id, ord, 1 AS count, ord AS last_ord
      FROM ${engine.hints.through("traces", "traces_failures")} WHERE ${sql}`,
    parameters,
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

function where(engine: Engine, filters: FailureFilters): SqlText {
  const parts = ["org_id = ? AND ord >= ? AND ord < ?", FAILURES];
  const parameters: (string | number)[] = [filters.orgId, filters.from * PER_MS, filters.to * PER_MS];
  if (filters.scenarioId !== undefined) {
    parts.push("scenario_id = ?");
    parameters.push(filters.scenarioId);
  }
  if (filters.source !== undefined) {
    parts.push("source = ?");
    parameters.push(filters.source);
  }
  if (filters.words !== undefined) {
    const named = engine.fullText.namesFailure(filters.words);
    parts.push(named.sql);
    parameters.push(...named.parameters);
  }
  return { sql: parts.join(" AND "), parameters };
}
