import { type Expression, type Selectable, type SqlBool, sql } from "kysely";
import type { Db } from "./db.ts";
import { marksFor, rowsOf } from "./engine/engine-of.ts";
import type { Database } from "./schema.ts";
import type { TestOutcome } from "./test-run-schema.ts";

export type TestRow = Selectable<Database["test_run_tests"]>;
export type AttemptRow = Selectable<Database["test_run_attempts"]>;
export type TestChange = "new_failure" | "still_failing" | "fixed" | "new_flaky";

/** A test with what became of it since the run before. */
export type ListedTest = TestRow & { change: TestChange | null };

/** An attempt with what its trace says of it. */
export interface TracedAttempt extends AttemptRow {
  trace_headline: string | null;
  trace_message: string | null;
  trace_signature: string | null;
}

export interface TestPlace {
  file: string;
  line: number;
  key: string;
}

export interface TestFilters {
  runId: string;
  previousId: string | null;
  outcome?: TestOutcome | undefined;
  file?: string | undefined;
  project?: string | undefined;
  /** With its `@`. */
  tag?: string | undefined;
  change?: TestChange | undefined;
  /** Words, of which each must be there. */
  words: string[];
  after?: TestPlace | undefined;
  limit: number;
}

/** Engines bound how many values a statement may have. */
const REMOVED_AT_ONCE = 500;

/** One page of a run's tests by file, line and key. Without a run before it nothing has changed. */
export function testsQuery(db: Db, filters: TestFilters) {
  const { outcome, file, project, tag, change, after } = filters;
  let query = db
    .selectFrom("test_run_tests as t")
    .leftJoin("test_run_tests as p", (join) =>
      join.on("p.test_run_id", "=", filters.previousId ?? "").onRef("p.test_key", "=", "t.test_key"),
    )
    .selectAll("t")
    .select(changeOf(filters.previousId !== null).as("change"))
    .where("t.test_run_id", "=", filters.runId);
  if (outcome !== undefined) query = query.where("t.outcome", "=", outcome);
  if (file !== undefined) query = query.where("t.file", "=", file);
  if (project !== undefined) query = query.where("t.project", "=", project);
  if (tag !== undefined) query = query.where(contains("t.tags", JSON.stringify(tag)));
  for (const word of filters.words) query = query.where(contains("t.search_text", word.toLowerCase()));
  if (change !== undefined) query = query.where(changeOf(filters.previousId !== null), "=", change);
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("t.file", "t.line", "t.test_key"), ">", tuple(after.file, after.line, after.key)),
    );
  return query.orderBy("t.file").orderBy("t.line").orderBy("t.test_key").limit(filters.limit);
}

export const listTests = async (db: Db, filters: TestFilters): Promise<ListedTest[]> =>
  (await testsQuery(db, filters).execute()) as ListedTest[];

/** Against the same test of the run before: `p` beside `t`. */
function changeOf(hasPrevious: boolean) {
  if (!hasPrevious) return sql<TestChange | null>`null`;
  return sql<TestChange | null>`case
    when t.outcome = 'failed' and p.outcome = 'failed' then 'still_failing'
    when t.outcome = 'failed' then 'new_failure'
    when t.outcome = 'passed' and p.outcome = 'failed' then 'fixed'
    when t.outcome = 'flaky' and (p.outcome is null or p.outcome <> 'flaky') then 'new_flaky'
    else null end`;
}

function contains(column: string, text: string): Expression<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Of these tests of a run all attempts in order, with what their traces say. */
export async function attemptsOf(
  db: Db,
  runId: string,
  keys: string[],
): Promise<Map<string, TracedAttempt[]>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom("test_run_attempts as a")
    .leftJoin("traces", "traces.id", "a.trace_id")
    .leftJoin("causes", "causes.trace_id", "a.trace_id")
    .selectAll("a")
    .select([
      "causes.headline as trace_headline",
      "traces.failure_message as trace_message",
      "traces.failure_signature as trace_signature",
    ])
    .where("a.test_run_id", "=", runId)
    .where("a.test_key", "in", keys)
    .orderBy("a.test_key")
    .orderBy("a.attempt")
    .execute();
  return Map.groupBy(rows, ({ test_key }) => test_key);
}

export async function findTests(db: Db, runId: string, keys: string[]): Promise<Map<string, TestRow>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom("test_run_tests")
    .selectAll()
    .where("test_run_id", "=", runId)
    .where("test_key", "in", keys)
    .execute();
  return new Map(rows.map((row) => [row.test_key, row]));
}

/** Writes a test of a run in the place of what was there. */
export async function putTest(db: Db, row: TestRow): Promise<void> {
  await db
    .insertInto("test_run_tests")
    .values(row)
    .onConflict((conflict) => conflict.columns(["test_run_id", "test_key"]).doUpdateSet(row))
    .execute();
}

/** Writes an attempt in the place of what was said of it before; a trace that it had stays when none is named. */
export async function putAttempt(db: Db, row: AttemptRow): Promise<void> {
  const { trace_id, ...rest } = row;
  await db
    .insertInto("test_run_attempts")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["test_run_id", "test_key", "attempt"])
        .doUpdateSet({ ...rest, ...(trace_id !== null && { trace_id }) }),
    )
    .execute();
}

/** Removes attempts of a run's test by their numbers; their traces stay. */
export async function removeAttempts(
  db: Db,
  { runId, key }: { runId: string; key: string },
  attempts: readonly number[],
): Promise<void> {
  for (let at = 0; at < attempts.length; at += REMOVED_AT_ONCE)
    await db
      .deleteFrom("test_run_attempts")
      .where("test_run_id", "=", runId)
      .where("test_key", "=", key)
      .where("attempt", "in", attempts.slice(at, at + REMOVED_AT_ONCE))
      .execute();
}

/** How many tests of a run have each outcome. */
export async function countOutcomes(db: Db, runId: string): Promise<Record<TestOutcome, number>> {
  const rows = await db
    .selectFrom("test_run_tests")
    .select((eb) => ["outcome", eb.fn.countAll<number>().as("count")])
    .where("test_run_id", "=", runId)
    .groupBy("outcome")
    .execute();
  const counts = { passed: 0, failed: 0, flaky: 0, skipped: 0, not_run: 0 };
  for (const { outcome, count } of rows) counts[outcome] = Number(count);
  return counts;
}

/** How a scenario's test did in a run. */
export interface TestVerdict {
  test_run_id: string;
  test_key: string;
  /** Of the run. */
  short_id: string;
  pr_number: number | null;
  outcome: TestOutcome;
  duration_ms: number;
  started_at: number;
  commit_sha: string | null;
  is_dirty: number;
}

/** The newest runs in which a scenario's test stood, up to a time (epoch ms), newest first. */
export async function testVerdicts(
  db: Db,
  scenario: { orgId: string; scenarioId: string },
  options: { limit: number; until?: number | undefined },
): Promise<TestVerdict[]> {
  let query = db
    .selectFrom("test_run_tests as t")
    .innerJoin("test_runs as r", "r.id", "t.test_run_id")
    .select([
      "t.test_run_id",
      "t.test_key",
      "t.outcome",
      "t.duration_ms",
      "t.started_at",
      "r.short_id",
      "r.commit_sha",
      "r.is_dirty",
      "r.pr_number",
    ])
    .where("t.org_id", "=", scenario.orgId)
    .where("t.scenario_id", "=", scenario.scenarioId);
  if (options.until !== undefined) query = query.where("t.started_at", "<=", options.until);
  return query.orderBy("t.started_at", "desc").limit(options.limit).execute();
}

/** The attempts of tests in runs, in order. */
export async function attemptsOfVerdicts(
  db: Db,
  verdicts: readonly Pick<TestVerdict, "test_run_id" | "test_key">[],
): Promise<AttemptRow[]> {
  if (verdicts.length === 0) return [];
  return db
    .selectFrom("test_run_attempts")
    .selectAll()
    .where("test_run_id", "in", [...new Set(verdicts.map(({ test_run_id }) => test_run_id))])
    .where("test_key", "in", [...new Set(verdicts.map(({ test_key }) => test_key))])
    .orderBy("attempt")
    .execute();
}

/** When a scenario's test last passed in a test run, up to a time (epoch ms); null when it never did. */
export async function lastTestPass(
  db: Db,
  scenario: { orgId: string; scenarioId: string },
  until?: number,
): Promise<number | null> {
  let query = db
    .selectFrom("test_run_tests")
    .select("started_at")
    .where("org_id", "=", scenario.orgId)
    .where("scenario_id", "=", scenario.scenarioId)
    .where("outcome", "in", ["passed", "flaky"]);
  if (until !== undefined) query = query.where("started_at", "<=", until);
  const found = await query.orderBy("started_at", "desc").limit(1).executeTakeFirst();
  return found?.started_at ?? null;
}

/** Which of these traces are attempts of a test run. */
export async function tracesOfTestRuns(db: Db, traceIds: string[]): Promise<Set<string>> {
  if (traceIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("test_run_attempts")
    .select("trace_id")
    .where("trace_id", "in", traceIds)
    .execute();
  return new Set(rows.flatMap(({ trace_id }) => (trace_id === null ? [] : [trace_id])));
}

/** The scenarios of those of these traces that the org has. */
export async function scenariosOfTraces(
  db: Db,
  orgId: string,
  traceIds: string[],
): Promise<Map<string, string>> {
  if (traceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("traces")
    .select(["id", "scenario_id"])
    .where("org_id", "=", orgId)
    .where("id", "in", traceIds)
    .execute();
  return new Map(rows.map(({ id, scenario_id }) => [id, scenario_id]));
}

/** What a scenario's test is known by, as it last ran. */
export type ScenarioTest = Pick<TestRow, "scenario_id" | "file" | "line" | "project" | "title_path">;

/** The tests of scenarios that are tests, by scenario id: one step into an index each. At most a page of a list at once. */
export async function testsOfScenarios(
  db: Db,
  orgId: string,
  scenarioIds: readonly string[],
): Promise<Map<string, ScenarioTest>> {
  if (scenarioIds.length === 0) return new Map();
  const rows = await rowsOf<ScenarioTest>(db, {
    sql: `SELECT t.scenario_id, t.file, t.line, t.project, t.title_path
      FROM scenarios AS s JOIN test_run_tests AS t ON t.org_id = s.org_id AND t.scenario_id = s.id AND t.started_at =
        (SELECT max(n.started_at) FROM test_run_tests AS n WHERE n.org_id = s.org_id AND n.scenario_id = s.id)
      WHERE s.org_id = ? AND s.id IN (${marksFor(scenarioIds)})`,
    parameters: [orgId, ...scenarioIds],
  });
  return new Map(rows.map((row) => [row.scenario_id, row]));
}
