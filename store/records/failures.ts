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

/** `ord` counts milliseconds × 4096. */
const PER_MS = 4096;
/** As the partial index has it, word for word, or SQLite would not use it. */
const FAILURES =
  "failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL";

/** Which of equal parts of the period: first `ord`, parts, width of all. Whole numbers, so that division cuts off. */
const PART_OF = "(ord - CAST(? AS BIGINT)) * CAST(? AS BIGINT) / CAST(? AS BIGINT)";

/** One page of groups, and one more where there is one. A scan of the period's failures in one index, without rows. */
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
  const which = where(engine, filters);
  const after = page.after;
  const having =
    after === null
      ? ""
      : page.sort === "count"
        ? "HAVING count(*) < ? OR (count(*) = ? AND max(ord) < ?)"
        : "HAVING max(ord) < ?";
  const place =
    after === null ? [] : page.sort === "count" ? [after.count, after.count, after.lastOrd] : [after.lastOrd];
  return {
    sql: `SELECT failure_signature AS signature, count(*) AS count, max(ord) AS last_ord
      FROM ${engine.hints.through("traces", "traces_failures")} WHERE ${which.sql} GROUP BY failure_signature ${having}
      ORDER BY ${page.sort === "count" ? "count DESC, last_ord DESC" : "last_ord DESC"} LIMIT ?`,
    parameters: [...which.parameters, ...place, page.limit],
  };
}

/** How the traces of some groups lie over their scenarios and over `parts` equal parts of the period. */
export async function failureParts(
  records: Records,
  filters: FailureFilters,
  signatures: string[],
  parts: number,
): Promise<FailurePart[]> {
  if (signatures.length === 0) return [];
  const engine = engineOf(records);
  const which = where(engine, filters);
  const { from, to } = filters;
  return rowsOf<FailurePart>(records, {
    sql: `SELECT failure_signature AS signature, scenario_id, count(*) AS count, max(ord) AS last_ord,
        ${PART_OF} AS part
      FROM ${engine.hints.through("traces", "traces_failures")}
      WHERE ${which.sql} AND ${engine.hints.unindexed("failure_signature")} IN (${signatures.map(() => "?").join(", ")})
      GROUP BY failure_signature, scenario_id, part`,
    parameters: [
      from * PER_MS,
      parts,
      Math.max(parts, to - from) * PER_MS,
      ...which.parameters,
      ...signatures,
    ],
  });
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
