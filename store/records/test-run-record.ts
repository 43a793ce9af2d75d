import type { Db, Trx } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { Database } from "./schema.ts";
import { type AttemptRow, putAttempt, putTest, type TestRow } from "./test-run-tests.ts";
import { findTestRun, type ShardRow, shardsOf, type TestRunRow } from "./test-runs.ts";
import { orgOf, type RecordedOrg, type RecordedScenario, scenarioOf } from "./trace-record.ts";

/** Everything that the records say of one test run and that they can be made anew from. */
export interface TestRunRecord {
  version: 1;
  org: RecordedOrg;
  run: TestRunRow;
  /** Which CI runs it is, so that a shard that comes late meets it. */
  keys: { ci_run_id: string; name: string; created_at: number }[];
  shards: ShardRow[];
  scenarios: RecordedScenario[];
  tests: TestRow[];
  attempts: AttemptRow[];
}

/** Test runs whose record is behind, or is to go, and how often they changed. */
export async function testRunRecordsDue(
  db: Db,
  limit: number,
): Promise<{ test_run_id: string; changes: number }[]> {
  return db.selectFrom("test_run_records_due").selectAll().limit(limit).execute();
}

/** Takes test runs off the list whose records were written, but for those that changed since they were read. */
export async function settleTestRunRecords(
  db: Db,
  written: readonly { test_run_id: string; changes: number }[],
): Promise<void> {
  for (const { test_run_id, changes } of written)
    await db
      .deleteFrom("test_run_records_due")
      .where("test_run_id", "=", test_run_id)
      .where("changes", "=", changes)
      .execute();
}

/** The record of a test run as it is now; null when there is no such run. */
export async function readTestRunRecord(db: Db, id: string): Promise<TestRunRecord | null> {
  const run = await findTestRun(db, id);
  if (!run) return null;
  const org = await db
    .selectFrom("orgs")
    .select(["id", "slug", "name", "created_at"])
    .where("id", "=", run.org_id)
    .executeTakeFirstOrThrow();
  const keys = await db
    .selectFrom("test_run_keys")
    .select(["ci_run_id", "name", "created_at"])
    .where("test_run_id", "=", id)
    .orderBy("ci_run_id")
    .execute();
  const tests = await db
    .selectFrom("test_run_tests")
    .selectAll()
    .where("test_run_id", "=", id)
    .orderBy("test_key")
    .execute();
  const scenarios = await db
    .selectFrom("scenarios")
    .select(["id", "slug", "title", "created_at", "updated_at"])
    .where("id", "in", (select) =>
      select.selectFrom("test_run_tests").select("scenario_id").where("test_run_id", "=", id),
    )
    .orderBy("id")
    .execute();
  const attempts = await db
    .selectFrom("test_run_attempts")
    .selectAll()
    .where("test_run_id", "=", id)
    .orderBy("test_key")
    .orderBy("attempt")
    .execute();
  const shards = (await shardsOf(db, [id])).get(id) ?? [];
  return { version: 1, org, run, keys, shards, scenarios, tests, attempts };
}

/** Puts what a record says into the records, after the traces: an attempt whose trace is gone has none. */
export async function insertTestRunRecord(trx: Trx, record: TestRunRecord): Promise<void> {
  const { run } = record;
  const org_id = await orgOf(trx, record.org);
  const known = await columnsOf(trx);
  await trx
    .insertInto("test_runs")
    .values({ ...known("test_runs", run), org_id })
    .execute();
  for (const key of record.keys)
    await trx
      .insertInto("test_run_keys")
      .values({ ...key, org_id, test_run_id: run.id })
      // A CI's run is the one that claimed it last.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const shard of record.shards)
    await trx.insertInto("test_run_shards").values(known("test_run_shards", shard)).execute();
  const scenarioIds = new Map<string, string>();
  for (const scenario of record.scenarios)
    scenarioIds.set(scenario.id, await scenarioOf(trx, org_id, scenario));
  for (const test of record.tests)
    await putTest(trx, {
      ...known("test_run_tests", test),
      org_id,
      scenario_id: scenarioIds.get(test.scenario_id)!,
    });
  for (const attempt of record.attempts) {
    const trace = attempt.trace_id;
    const isThere =
      trace !== null &&
      (await trx.selectFrom("traces").select("id").where("id", "=", trace).executeTakeFirst());
    await putAttempt(trx, { ...known("test_run_attempts", attempt), trace_id: isThere ? trace : null });
  }
  await trx.insertInto("test_run_records_due").values({ test_run_id: run.id }).execute();
}

/** A record that another version wrote may have columns that are not known here. */
async function columnsOf(trx: Trx) {
  const tables = ["test_runs", "test_run_shards", "test_run_tests", "test_run_attempts"] as const;
  const columns = new Map<keyof Database, Set<string>>();
  for (const table of tables) columns.set(table, await engineOf(trx).catalog.columnsOf(trx, table));
  return <Row extends object>(table: (typeof tables)[number], row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => columns.get(table)!.has(name))) as Row;
}
