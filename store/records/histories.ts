import { type CompiledQuery, sql } from "kysely";
import type { Records } from "./db.ts";
import { engineOf, marksFor, rowsOf } from "./engine/engine-of.ts";
import type { TraceRow } from "./traces.ts";

const COLUMNS = [
  "ord",
  "id",
  "short_id",
  "status",
  "duration_ms",
  "code_sha",
  "source",
  "region",
  "pr_number",
  "run_id",
  "attempt",
  "failure_signature",
  "failure_message",
  "created_at",
] as const satisfies (keyof TraceRow | "ord")[];

/** A finished trace as a history shows it. */
export type PastTrace = Pick<TraceRow, (typeof COLUMNS)[number]>;

/** A scenario and its last finished trace. */
export interface ScenarioRow {
  id: string;
  slug: string;
  title: string;
  last_ord: number;
  last_status: "passed" | "failed" | "error" | "aborted";
}

const MESSAGE_LENGTH = 500;
const SELECT = COLUMNS.map((name) =>
  name === "failure_message" ? `substr(failure_message, 1, ${MESSAGE_LENGTH}) AS failure_message` : name,
).join(", ");
/** As the partial indexes have them, word for word, or SQLite would not use them. */
const FINISHED = "status IN ('passed', 'failed', 'error', 'aborted') AND parent_trace_id IS NULL";
const VERDICT = "status IN ('passed', 'failed') AND parent_trace_id IS NULL";
/** Above every `ord`. */
const NO_END = Number.MAX_SAFE_INTEGER;

/** The last finished traces of a scenario, newest first, replays left out. `until` is the `ord` of the newest wanted. */
export async function pastTraces(
  records: Records,
  scenario: { orgId: string; scenarioId: string },
  options: { limit: number; until?: number | undefined },
): Promise<PastTrace[]> {
  return rowsOf<PastTrace>(records, {
    sql: `SELECT ${SELECT} FROM ${engineOf(records).hints.through("traces", "traces_history")}
      WHERE org_id = ? AND scenario_id = ? AND ord <= ? AND ${FINISHED} ORDER BY ord DESC LIMIT ?`,
    parameters: [scenario.orgId, scenario.scenarioId, options.until ?? NO_END, options.limit],
  });
}

/** The newest trace of a verdict up to `until` (an `ord`); null when there is none. */
export async function lastVerdict(
  records: Records,
  scenario: { orgId: string; scenarioId: string },
  verdict: "passed" | "failed",
  until: number = NO_END,
): Promise<PastTrace | null> {
  const [row] = await rowsOf<PastTrace>(records, {
    sql: `SELECT ${SELECT} FROM ${engineOf(records).hints.through("traces", "traces_verdicts")}
      WHERE org_id = ? AND scenario_id = ? AND status = ? AND ord <= ? AND ${VERDICT} ORDER BY ord DESC LIMIT 1`,
    parameters: [scenario.orgId, scenario.scenarioId, verdict, until],
  });
  return row ?? null;
}

/** The oldest failed trace after an `ord`; null when there is none. */
export async function firstFailureAfter(
  records: Records,
  scenario: { orgId: string; scenarioId: string },
  after: number,
): Promise<PastTrace | null> {
  const [row] = await rowsOf<PastTrace>(records, {
    sql: `SELECT ${SELECT} FROM ${engineOf(records).hints.through("traces", "traces_verdicts")}
      WHERE org_id = ? AND scenario_id = ? AND status = 'failed' AND ord > ? AND ${VERDICT} ORDER BY ord LIMIT 1`,
    parameters: [scenario.orgId, scenario.scenarioId, after],
  });
  return row ?? null;
}

/**
 * The scenarios that have a finished trace, the one that ran last first: one step into an index for each scenario,
 * however many traces it has.
 */
export async function listRunScenarios(
  records: Records,
  filters: {
    orgId: string;
    /** Of the last finished trace. */
    status?: string | undefined;
    /** Part of the slug or title; of A to Z the case does not matter. */
    text?: string | undefined;
    /** `last_ord` of the last scenario of the page before. */
    after?: number | undefined;
    limit: number;
  },
): Promise<ScenarioRow[]> {
  const { rows } = await records.executeQuery(runScenariosQuery(records, filters));
  return rows;
}

/** The query of `listRunScenarios`, for a test of its plan. */
export function runScenariosQuery(
  records: Records,
  filters: Parameters<typeof listRunScenarios>[1],
): CompiledQuery<ScenarioRow> {
  const { hints, letters } = engineOf(records);
  const wanted = [sql`s.org_id = ${filters.orgId}`];
  if (filters.text !== undefined)
    wanted.push(
      sql`(${letters.contains("s.slug", filters.text)} OR ${letters.contains("s.title", filters.text)})`,
    );
  wanted.push(sql`t.ord < ${filters.after ?? NO_END}`);
  if (filters.status !== undefined) wanted.push(sql`t.status = ${filters.status}`);
  return sql<ScenarioRow>`SELECT s.id, s.slug, s.title, t.ord AS last_ord, t.status AS last_status
    FROM scenarios s ${sql.raw(hints.joinAfter)} traces t ON t.ord = (
      SELECT h.ord FROM ${sql.raw(hints.through("traces h", "traces_history"))}
      WHERE h.org_id = s.org_id AND h.scenario_id = s.id AND ${sql.raw(FINISHED)} ORDER BY h.ord DESC LIMIT 1)
    WHERE ${sql.join(wanted, sql` AND `)} ORDER BY t.ord DESC LIMIT ${filters.limit}`.compile(records);
}

/** The traces of one run of a scenario, in the order they were made. */
export async function tracesOfRun(
  records: Records,
  of: { orgId: string; scenarioId: string; runId: string },
  limit: number,
): Promise<PastTrace[]> {
  return rowsOf<PastTrace>(records, {
    sql: `SELECT ${SELECT} FROM ${engineOf(records).hints.through("traces", "traces_by_run")}
      WHERE org_id = ? AND scenario_id = ? AND run_id = ? AND parent_trace_id IS NULL ORDER BY ord LIMIT ?`,
    parameters: [of.orgId, of.scenarioId, of.runId, limit],
  });
}

/** Finished traces by their ids, at most those of a history. */
export async function pastTracesById(records: Records, ids: readonly string[]): Promise<PastTrace[]> {
  if (ids.length === 0) return [];
  return rowsOf<PastTrace>(records, {
    sql: `SELECT ${SELECT} FROM traces WHERE id IN (${marksFor(ids)}) AND ${FINISHED}`,
    parameters: [...ids],
  });
}
