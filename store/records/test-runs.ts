import { type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";
import type { TestRunStatus } from "./test-run-schema.ts";

export type TestRunRow = Selectable<Database["test_runs"]>;
export type NewTestRun = Omit<
  TestRunRow,
  "ended_at" | "was_silent" | "passed" | "failed" | "flaky" | "skipped" | "not_run"
>;
export type ShardRow = Selectable<Database["test_run_shards"]>;

/** Where a page of runs ended. */
export interface TestRunPlace {
  startedAt: number;
  id: string;
}

export interface TestRunFilters {
  orgId: string;
  branch?: string | undefined;
  /** A commit or its beginning. */
  commit?: string | undefined;
  pr?: number | undefined;
  status?: TestRunStatus | undefined;
  after?: TestRunPlace | undefined;
  limit: number;
}

/**
 * Claims a CI's run of a name for a new run, unless another has it since `cutoff` (epoch ms). Of two writers at the same
 * time one wins.
 * @returns the id of the run that has it now
 */
export async function claimTestRun(
  db: Db,
  claim: { orgId: string; ciRunId: string; name: string; id: string; now: number; cutoff: number },
): Promise<string> {
  await db
    .insertInto("test_run_keys")
    .values({
      org_id: claim.orgId,
      ci_run_id: claim.ciRunId,
      name: claim.name,
      test_run_id: claim.id,
      created_at: claim.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["org_id", "ci_run_id", "name"])
        .doUpdateSet({ test_run_id: claim.id, created_at: claim.now })
        .where("test_run_keys.created_at", "<=", claim.cutoff),
    )
    .execute();
  const { test_run_id } = await db
    .selectFrom("test_run_keys")
    .select("test_run_id")
    .where("org_id", "=", claim.orgId)
    .where("ci_run_id", "=", claim.ciRunId)
    .where("name", "=", claim.name)
    .executeTakeFirstOrThrow();
  return test_run_id;
}

export async function insertTestRun(db: Db, run: NewTestRun): Promise<void> {
  await db.insertInto("test_runs").values(run).execute();
  await noteChanged(db, [run.id]);
}

/** The records of these runs are behind. */
async function noteChanged(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .insertInto("test_run_records_due")
    .values(ids.map((test_run_id) => ({ test_run_id })))
    .onConflict((conflict) =>
      conflict
        .column("test_run_id")
        .doUpdateSet({ changes: (set) => set("test_run_records_due.changes", "+", 1) }),
    )
    .execute();
}

export async function findTestRun(db: Db, id: string): Promise<TestRunRow | null> {
  return (await db.selectFrom("test_runs").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

export async function findTestRunByShortId(db: Db, shortId: string): Promise<TestRunRow | null> {
  const found = await db
    .selectFrom("test_runs")
    .selectAll()
    .where("short_id", "=", shortId)
    .executeTakeFirst();
  return found ?? null;
}

export async function updateTestRun(
  db: Db,
  id: string,
  changes: Partial<Omit<TestRunRow, "id" | "org_id" | "short_id">>,
): Promise<void> {
  await db.updateTable("test_runs").set(changes).where("id", "=", id).execute();
  await noteChanged(db, [id]);
}

/** One page of an org's runs, the one that began last first. */
export function testRunsQuery(db: Db, filters: TestRunFilters) {
  const { branch, commit, pr, status, after } = filters;
  let query = db.selectFrom("test_runs").selectAll().where("org_id", "=", filters.orgId);
  if (branch !== undefined) query = query.where("branch", "=", branch);
  if (commit !== undefined)
    query = query.where("commit_sha", ">=", commit).where("commit_sha", "<", `${commit}\u{10ffff}`);
  if (pr !== undefined) query = query.where("pr_number", "=", pr);
  if (status !== undefined) query = query.where("status", "=", status);
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("started_at", "id"), "<", tuple(after.startedAt, after.id)),
    );
  return query.orderBy("started_at", "desc").orderBy("id", "desc").limit(filters.limit);
}

export const listTestRuns = (db: Db, filters: TestRunFilters): Promise<TestRunRow[]> =>
  testRunsQuery(db, filters).execute();

/** The newest ended run of the same name and branch that began before this one. */
export async function previousTestRun(
  db: Db,
  run: Pick<TestRunRow, "id" | "org_id" | "name" | "branch" | "started_at">,
): Promise<TestRunRow | null> {
  const found = await db
    .selectFrom("test_runs")
    .selectAll()
    .where("org_id", "=", run.org_id)
    .where("name", run.name === null ? "is" : "=", run.name)
    .where("branch", run.branch === null ? "is" : "=", run.branch)
    // As the partial index has it.
    .where("status", "<>", sql.lit("running"))
    .where(({ eb, refTuple, tuple }) => eb(refTuple("started_at", "id"), "<", tuple(run.started_at, run.id)))
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/** The shards of runs, in their order. */
export async function shardsOf(db: Db, runIds: string[]): Promise<Map<string, ShardRow[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("test_run_shards")
    .selectAll()
    .where("test_run_id", "in", runIds)
    .orderBy("shard_index")
    .execute();
  return Map.groupBy(rows, ({ test_run_id }) => test_run_id);
}

/** Notes a shard that begins; one that is known stays as it is. */
export async function beginShard(db: Db, shard: ShardRow): Promise<void> {
  await db
    .insertInto("test_run_shards")
    .values(shard)
    .onConflict((conflict) =>
      conflict
        .columns(["test_run_id", "shard_index"])
        .doUpdateSet({ shard_total: shard.shard_total })
        .where("test_run_shards.shard_total", "<", shard.shard_total),
    )
    .execute();
}

/**
 * Notes that a shard has ended; one that has ended keeps its verdict, unless it passed and another of the same number failed.
 * One that was given up has not said that it ended.
 */
export async function endShard(db: Db, shard: ShardRow): Promise<void> {
  await db
    .insertInto("test_run_shards")
    .values(shard)
    .onConflict((conflict) =>
      conflict
        .columns(["test_run_id", "shard_index"])
        .doUpdateSet({ status: shard.status, ended_at: shard.ended_at })
        .where(({ eb, or }) =>
          or([
            eb("test_run_shards.ended_at", "is", null),
            ...(shard.status === "failed" ? [eb("test_run_shards.status", "=", sql.lit("passed"))] : []),
          ]),
        ),
    )
    .execute();
}

/** Runs of which nothing was heard since before `cutoff` (epoch ms), and that still count as running. */
export async function silentTestRuns(db: Db, cutoff: number): Promise<TestRunRow[]> {
  return db
    .selectFrom("test_runs")
    .selectAll()
    .where("status", "=", sql.lit("running"))
    .where("heard_at", "<=", cutoff)
    .execute();
}

/** Ends a run that is still silent, with its shards; false when something was heard meanwhile. */
export async function interruptSilent(db: Db, run: TestRunRow): Promise<boolean> {
  const result = await db
    .updateTable("test_runs")
    .set({ status: "interrupted", ended_at: Math.max(run.heard_at, run.started_at), was_silent: 1 })
    .where("id", "=", run.id)
    .where("status", "=", sql.lit("running"))
    .where("heard_at", "=", run.heard_at)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await db
    .updateTable("test_run_shards")
    .set({ status: "interrupted" })
    .where("test_run_id", "=", run.id)
    .where("status", "=", "running")
    .execute();
  await noteChanged(db, [run.id]);
  return true;
}

/** Those that began, and came here, before (epoch ms), the oldest first. */
export const oldTestRunsQuery = (db: Db, before: number, atMost: number) =>
  db
    .selectFrom("test_runs")
    .select("id")
    .where("started_at", "<", before)
    .where("created_at", "<", before)
    .where("status", "<>", sql.lit("running"))
    .orderBy("started_at")
    .limit(atMost);

export const keysOfRunsQuery = (db: Db, ids: readonly string[]) =>
  db.deleteFrom("test_run_keys").where("test_run_id", "in", ids);

/**
 * Removes runs that began, and came here, before (epoch ms), the oldest first; their traces stay. A report may tell of a run of long ago.
 */
export async function pruneTestRuns(db: Db, before: number, atMost: number): Promise<void> {
  const old = await oldTestRunsQuery(db, before, atMost).execute();
  const ids = old.map(({ id }) => id);
  if (ids.length === 0) return;
  await keysOfRunsQuery(db, ids).execute();
  await db.deleteFrom("test_runs").where("id", "in", ids).execute();
  await noteChanged(db, ids);
}
