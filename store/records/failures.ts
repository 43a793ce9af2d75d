import { CompiledQuery } from "kysely";
import type { Records } from "./db.ts";
import type { TraceSource } from "./schema.ts";

/** Which failures are grouped. Times are epoch ms, `from` included, `to` excluded. */
export interface FailureFilters {
  orgId: string;
  from: number;
  to: number;
  scenarioId?: string;
  source?: TraceSource;
  /** From `searchExpression`; of the failure's message and the scenario's title. */
  words?: string;
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

interface Sql {
  sql: string;
  parameters: (string | number)[];
}

/** One page of groups, and one more where there is one. A scan of the period's failures in one index, without rows. */
export async function listFailureGroups(
  records: Records,
  filters: FailureFilters,
  page: { sort: FailureSort; after: FailurePlace | null; limit: number },
): Promise<FailureGroup[]> {
  return run<FailureGroup>(records, failureGroupsQuery(filters, page));
}

/** The SQL of a page of groups, for a test of its plan. */
export function failureGroupsQuery(
  filters: FailureFilters,
  page: { sort: FailureSort; after: FailurePlace | null; limit: number },
): Sql {
  const which = where(filters);
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
      FROM traces INDEXED BY traces_failures WHERE ${which.sql} GROUP BY failure_signature ${having}
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
  const which = where(filters);
  const width = Math.max(1, (filters.to - filters.from) / parts) * PER_MS;
  return run<FailurePart>(records, {
    sql: `SELECT failure_signature AS signature, scenario_id, count(*) AS count, max(ord) AS last_ord,
        min(?, CAST((ord - ?) / ? AS INTEGER)) AS part
      FROM traces INDEXED BY traces_failures
      WHERE ${which.sql} AND +failure_signature IN (${signatures.map(() => "?").join(", ")})
      GROUP BY failure_signature, scenario_id, part`,
    parameters: [parts - 1, filters.from * PER_MS, width, ...which.parameters, ...signatures],
  });
}

/** Epoch ms at which a signature was first seen in the traces that are kept, of one scenario or of all. */
export async function firstSeen(
  records: Records,
  orgId: string,
  signature: string,
  scenarioId?: string,
): Promise<number | null> {
  const [row] = await run<{ created_at: number }>(records, {
    sql: `SELECT created_at FROM traces INDEXED BY traces_by_signature
      WHERE org_id = ? AND failure_signature = ? AND ${FAILURES}${
        scenarioId === undefined ? "" : " AND scenario_id = ?"
      } ORDER BY ord LIMIT 1`,
    parameters: [orgId, signature, ...(scenarioId === undefined ? [] : [scenarioId])],
  });
  return row?.created_at ?? null;
}

function where(filters: FailureFilters): Sql {
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
    // The plus keeps the scan inside the period: one lookup per hit would be many times slower.
    parts.push("+ord IN (SELECT rowid FROM traces_fts WHERE traces_fts MATCH ?)");
    parameters.push(`{title failure} : (${filters.words})`);
  }
  return { sql: parts.join(" AND "), parameters };
}

async function run<Row>(records: Records, { sql, parameters }: Sql): Promise<Row[]> {
  return (await records.executeQuery(CompiledQuery.raw(sql, parameters))).rows as Row[];
}
