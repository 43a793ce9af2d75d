import type { Trx } from "../../../store/records/db.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import {
  type AttemptRow,
  attemptsOf,
  countOutcomes,
  findTests,
  putAttempt,
  putTest,
  removeAttempts,
  scenariosOfTraces,
  type TestRow,
} from "../../../store/records/test-run-tests.ts";
import { type TestRunRow, updateTestRun } from "../../../store/records/test-runs.ts";
import { notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { commit } from "../../jobs/commit.ts";
import { plainText } from "../format/error-text.ts";
import { failureSignature } from "../format/signature.ts";
import { slugOf, type TestIdentity, testKeyOf, titleOf } from "../format/test-name.ts";
import { outcomeOf } from "../format/test-run.ts";
import { requireTestRun } from "./access.ts";
import { publishTestRunChange, readTime, type TestRunDeps } from "./begin.ts";
import type { ResultBody } from "./model.ts";

/** What is kept of an error's message, and of its stack, in characters. */
const MOST_ERROR = 8192;

/** An attempt as it is kept, and what it says of its test. */
interface Given {
  row: AttemptRow;
  body: ResultBody;
  identity: TestIdentity;
}

/** By test key, what a whole report tells of each attempt (`markOf`). */
export type WholeReport = ReadonlyMap<string, ReadonlySet<string>>;

/** What tells an attempt from one of the same number in another report. @param startedAt epoch ms */
export const markOf = (attempt: number, startedAt: number): string => `${attempt} ${startedAt}`;

/**
 * Takes attempts into a run, all or none; one that is known already is written again.
 * @param whole of the report that these are a part of: what the run has of its tests from elsewhere, such as from an earlier
 *   run of the same CI job, goes; a test that did not run in it stays as it was
 * @returns how many attempts there were
 * @throws AppError `not_found` for the run or a trace, `invalid_request` naming the field
 */
export async function takeResults(
  deps: TestRunDeps,
  actor: Actor,
  runId: string,
  results: readonly ResultBody[],
  whole?: WholeReport,
): Promise<{ accepted: number }> {
  const { id } = await requireTestRun(deps, actor, runId);
  const given = results.map((body, at) => toGiven(id, body, at));
  await commit(deps, async (trx, after) => {
    // Asked again: a removal may have come in between.
    const run = await requireTestRun({ store: { records: trx } }, actor, id);
    await writeResults(deps, trx, run, given, whole);
    const counts = await countOutcomes(trx, run.id);
    await updateTestRun(trx, run.id, { ...counts, heard_at: Math.max(run.heard_at, deps.clock.now()) });
    publishTestRunChange(after, run);
  });
  return { accepted: results.length };
}

async function writeResults(
  deps: TestRunDeps,
  trx: Trx,
  run: TestRunRow,
  given: Given[],
  whole?: WholeReport,
): Promise<void> {
  const scenarioOfTrace = await checkTraces(trx, run.org_id, given);
  const byTest = Map.groupBy(given, ({ row }) => row.test_key);
  const keys = [...byTest.keys()];
  const [tests, attempts] = [await findTests(trx, run.id, keys), await attemptsOf(trx, run.id, keys)];
  for (const [key, fresh] of byTest) {
    const told = whole?.get(key);
    const before = attempts.get(key) ?? [];
    const isOwn = (one: AttemptRow) => !told || told.has(markOf(one.attempt, one.started_at));
    const isElsewhere = before.length > 0 && !before.some(isOwn);
    if (isElsewhere && outcomeOf(fresh.map(({ row }) => row)) === "not_run") continue;
    const stale = before.filter((one) => !isOwn(one)).map(({ attempt }) => attempt);
    await removeAttempts(trx, { runId: run.id, key }, stale);
    const all = new Map<number, AttemptRow>(before.filter(isOwn).map((one) => [one.attempt, one]));
    for (const { row } of fresh) all.set(row.attempt, row);
    const last = fresh.reduce((best, one) => (one.row.attempt >= best.row.attempt ? one : best));
    const known = tests.get(key);
    const latest = known && !stale.includes(known.last_attempt) ? known : undefined;
    const traced = fresh.findLast(({ row }) => row.trace_id !== null)?.row.trace_id ?? null;
    const scenarioId =
      (traced === null ? known?.scenario_id : scenarioOfTrace.get(traced)) ??
      (await scenarioOf(deps, trx, run.org_id, last.identity));
    await putTest(trx, testRow(run, { latest, last, scenarioId, attempts: [...all.values()] }));
    for (const { row } of fresh) await putAttempt(trx, row);
  }
}

function testRow(
  run: TestRunRow,
  given: {
    /** The test as it stands there, where its last attempt stays. */
    latest: TestRow | undefined;
    last: Given;
    scenarioId: string;
    attempts: AttemptRow[];
  },
): TestRow {
  const { latest, last, scenarioId } = given;
  const attempts = given.attempts.toSorted((a, b) => a.attempt - b.attempt);
  const { body, identity } = last;
  const isLatest = latest === undefined || last.row.attempt >= latest.last_attempt;
  const told = isLatest
    ? {
        line: body.line,
        tags: JSON.stringify([...new Set(body.tags.map((tag) => (tag.startsWith("@") ? tag : `@${tag}`)))]),
        annotations: JSON.stringify(
          body.annotations.map(({ type, description = null }) => ({ type, description })),
        ),
        expected: body.expected,
        last_attempt: body.attempt,
      }
    : {
        line: latest.line,
        tags: latest.tags,
        annotations: latest.annotations,
        expected: latest.expected,
        last_attempt: latest.last_attempt,
      };
  return {
    test_run_id: run.id,
    test_key: last.row.test_key,
    org_id: run.org_id,
    scenario_id: scenarioId,
    project: identity.project,
    file: identity.file,
    title_path: JSON.stringify(identity.titles),
    search_text: [identity.file, ...identity.titles, identity.project].join(" ").toLowerCase(),
    ...told,
    outcome: outcomeOf(attempts),
    duration_ms: attempts.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    started_at: Math.min(...attempts.map(({ started_at }) => started_at)),
  };
}

function toGiven(runId: string, body: ResultBody, at: number): Given {
  const identity = { project: body.project, file: body.file, titles: body.title_path };
  const message = body.error === null ? null : plainText(body.error.message, MOST_ERROR);
  const stack = body.error?.stack ?? null;
  return {
    body,
    identity,
    row: {
      test_run_id: runId,
      test_key: testKeyOf(identity),
      attempt: body.attempt,
      status: body.status,
      expected: body.expected,
      duration_ms: body.duration_ms,
      started_at: readTime(`results.${at}.started_at`, body.started_at),
      trace_id: body.trace_id?.toLowerCase() ?? null,
      error_message: message,
      error_stack: stack === null ? null : plainText(stack, MOST_ERROR),
      error_signature: message ? failureSignature({ kind: "error", title: "", message }) : null,
    },
  };
}

/** The scenarios of the traces that are named. @throws AppError `not_found` naming the first that is not there */
async function checkTraces(trx: Trx, orgId: string, given: Given[]): Promise<Map<string, string>> {
  const wanted = given.flatMap(({ row }) => (row.trace_id === null ? [] : [row.trace_id]));
  const known = await scenariosOfTraces(trx, orgId, wanted);
  const missing = given.findIndex(({ row }) => row.trace_id !== null && !known.has(row.trace_id));
  if (missing >= 0) throw notFound(`The trace of "results.${missing}.trace_id"`);
  return known;
}

async function scenarioOf(
  deps: TestRunDeps,
  trx: Trx,
  orgId: string,
  identity: TestIdentity,
): Promise<string> {
  const { id } = await upsertScenario(trx, {
    id: deps.ids.uuid(),
    orgId,
    slug: slugOf(identity),
    title: titleOf(identity),
    now: deps.clock.now(),
  });
  return id;
}
