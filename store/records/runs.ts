import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import { runsOfUnresolved } from "./incidents.ts";
import { keepPlans, withPlan } from "./run-plans.ts";
import type { Database, RunType, TraceStatus } from "./schema.ts";
import { firstId } from "./usage.ts";

export type RunRow = Selectable<Database["runs"]>;
export type NewRun = Insertable<Database["runs"]>;
export type RunLogRow = Selectable<Database["run_logs"]>;

/** Statuses that nothing follows. */
export const ENDED: readonly TraceStatus[] = ["passed", "failed", "error", "aborted"];

export async function insertRun(db: Db, run: NewRun): Promise<void> {
  const kept = await keepPlans(db, [run.plan], run.scheduled_at);
  await db
    .insertInto("runs")
    .values({ ...run, plan: kept.get(run.plan)! })
    .execute();
}

export async function findRun(db: Db, id: string): Promise<RunRow | null> {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? withPlan(db, row) : null;
}

/** The run that made a trace. */
export async function findRunOfTrace(db: Db, traceId: string): Promise<RunRow | null> {
  const row = await db.selectFrom("runs").selectAll().where("trace_id", "=", traceId).executeTakeFirst();
  return row ? withPlan(db, row) : null;
}

/** Which fire of a check each of these runs is an attempt at, by the run's id; those that no check made are left out. */
export async function firesOf(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("runs")
    .select(["id", "check_id", "scheduled_at"])
    .where("id", "in", ids)
    .where("check_id", "is not", null)
    .execute();
  return new Map(rows.map(({ id, check_id, scheduled_at }) => [id, `${check_id} ${scheduled_at}`]));
}

/** Whether strangers wrote what a run carried out (code of a fork): what that taught is used for no other. */
export const isOfStrangers = ({ plan }: Pick<RunRow, "plan">): boolean =>
  (JSON.parse(plan) as { is_untrusted?: boolean }).is_untrusted === true;

/**
 * Changes a run that is still in one of these statuses; false when it is not (any more): whoever comes second changes
 * nothing.
 */
export async function changeRun(
  db: Db,
  id: string,
  from: readonly TraceStatus[],
  changes: Partial<Omit<RunRow, "id" | "org_id">>,
): Promise<boolean> {
  const result = await db
    .updateTable("runs")
    .set(changes)
    .where("id", "=", id)
    .where("status", "in", from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The newest run of a scenario. */
export async function lastRunOf(db: Db, orgId: string, scenarioId: string): Promise<RunRow | null> {
  return (await listRuns(db, { orgId, scenarioId, limit: 1 }))[0] ?? null;
}

export interface RunFilters {
  orgId: string;
  type?: RunType;
  status?: TraceStatus;
  scenarioId?: string;
  checkId?: string;
  /** `owner/name` of the pull request's repository. */
  repo?: string;
  /** Epoch ms of the schedule; `from` included, `to` excluded. */
  from?: number;
  to?: number;
  /** Id of the last run of the page before. */
  after?: string;
  limit: number;
}

/** Newest first, `plan` as it stands in the rows. Ids are UUIDv7, so their order is that of their making. */
export async function listRuns(db: Db, filters: RunFilters): Promise<RunRow[]> {
  let query = db.selectFrom("runs").selectAll().where("org_id", "=", filters.orgId);
  if (filters.type !== undefined) query = query.where("type", "=", filters.type);
  if (filters.status !== undefined) query = query.where("status", "=", filters.status);
  if (filters.scenarioId !== undefined) query = query.where("scenario_id", "=", filters.scenarioId);
  if (filters.checkId !== undefined) query = query.where("check_id", "=", filters.checkId);
  if (filters.repo !== undefined)
    // Of all runs, the partial index has only those of pull requests.
    query = query.where("pr", "is not", null).where(engineOf(db).json.field("pr", "repo"), "=", filters.repo);
  if (filters.from !== undefined) query = query.where("scheduled_at", ">=", filters.from);
  if (filters.to !== undefined) query = query.where("scheduled_at", "<", filters.to);
  if (filters.after !== undefined) query = query.where("id", "<", filters.after);
  return query.orderBy("id", "desc").limit(filters.limit).execute();
}

/** Runs that a server has under way, or that were begun before servers had ids. */
export async function runsUnderWay(db: Db, serverId: string): Promise<RunRow[]> {
  return db
    .selectFrom("runs")
    .selectAll()
    .where("status", "=", "running")
    .where((is) => is.or([is("server_id", "=", serverId), is("server_id", "is", null)]))
    .orderBy("id")
    .execute();
}

/** Runs under way, of any server, that no lease covers at `now`: their senders carry them out, or they are lost. */
export async function runsWithoutLease(db: Db, now: number): Promise<RunRow[]> {
  return db
    .selectFrom("runs")
    .selectAll()
    .where("status", "=", "running")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("jobs")
            .select("jobs.id")
            .whereRef("jobs.id", "=", "runs.job_id")
            .where("jobs.state", "=", "running")
            .where("jobs.visible_at", ">", now),
        ),
      ),
    )
    .orderBy("id")
    .execute();
}

/** How often a line is put at the end anew when others come first each time. */
const TRIES = 100;

/**
 * Adds lines to the log of a run; `seq` goes on from the last one. Of two that add at once the second finds its number taken,
 * and goes behind the first.
 * @throws Error when others came first every time
 */
export async function addRunLogs(
  db: Db,
  runId: string,
  lines: Omit<RunLogRow, "run_id" | "seq">[],
): Promise<void> {
  for (const line of lines) {
    let tries = 0;
    while (!(await addRunLog(db, runId, line)))
      if (++tries >= TRIES)
        throw new Error(`The log of run ${runId} grew by others ${TRIES} times before a line was in.`);
  }
}

/** False when somebody else's line took the number. */
async function addRunLog(db: Db, runId: string, line: Omit<RunLogRow, "run_id" | "seq">): Promise<boolean> {
  const seq = sql<number>`(select coalesce(max(seq), -1) + 1 from run_logs where run_id = ${runId})`;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("run_logs")
    .values({ run_id: runId, seq, ...line })
    .onConflict((conflict) => conflict.columns(["run_id", "seq"]).doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** The lines of a run's log after a seq, in order. */
export async function readRunLogs(
  db: Db,
  runId: string,
  { after, limit }: { after: number; limit: number },
): Promise<RunLogRow[]> {
  return db
    .selectFrom("run_logs")
    .selectAll()
    .where("run_id", "=", runId)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** The newest error in a run's log. */
export async function lastRunError(db: Db, runId: string): Promise<RunLogRow | null> {
  const found = await db
    .selectFrom("run_logs")
    .selectAll()
    .where("run_id", "=", runId)
    .where("level", "=", "error")
    .orderBy("seq", "desc")
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Removes runs that ended before a time, with their logs, the oldest first; how many. Those that an incident which goes on names stay.
 * What ended before was made before, so that of all runs only those are looked at.
 */
export async function pruneRuns(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom("runs")
    .select("id")
    .where("status", "in", [...ENDED])
    .where("ended_at", "<", before)
    .where("id", "<", firstId(before))
    .where("id", "not in", runsOfUnresolved(db))
    .orderBy("id")
    .limit(limit);
  const result = await db.deleteFrom("runs").where("id", "in", old).executeTakeFirst();
  return Number(result.numDeletedRows);
}
