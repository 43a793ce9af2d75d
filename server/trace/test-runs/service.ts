import {
  attemptsOf,
  listTests,
  type TestFilters,
  type TracedAttempt,
} from "../../../store/records/test-run-tests.ts";
import {
  listTestRuns,
  previousTestRun,
  shardsOf,
  type TestRunFilters,
  type TestRunRow,
} from "../../../store/records/test-runs.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { requireTestRun } from "./access.ts";
import { decodeRunCursor, decodeTestCursor, encodeRunCursor, encodeTestCursor } from "./cursor.ts";
import { failedAttempt, headlineOf } from "./headline.ts";
import {
  type CauseList,
  type TestList,
  type TestListQuery,
  type TestRun,
  type TestRunList,
  type TestRunListQuery,
  toTestOfRun,
  toTestRun,
} from "./model.ts";

type ReadDeps = Pick<Deps, "store">;
type Reader = Pick<Actor, "orgId">;

const USUAL_LIMIT = 50;
/** Failed tests that are looked at for their causes. */
const MOST_FAILED = 2000;
const MOST_IDS = 100;

/** One page of the org's runs, the one that began last first. @throws AppError `invalid_request` naming the parameter */
export async function showTestRuns(
  deps: ReadDeps,
  actor: Reader,
  query: TestRunListQuery,
): Promise<TestRunList> {
  const limit = query.limit ?? USUAL_LIMIT;
  const { branch, commit, pr, status } = query;
  const filters: TestRunFilters = { orgId: actor.orgId, branch, commit, pr, status, limit: limit + 1 };
  if (query.cursor !== undefined) filters.after = decodeRunCursor(query.cursor) ?? refuseCursor();
  const rows = await listTestRuns(deps.store.records, filters);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: await toTestRuns(deps, page),
    next_cursor:
      last && rows.length > limit ? encodeRunCursor({ startedAt: last.started_at, id: last.id }) : null,
  };
}

/** One run, by its id or short id. @throws AppError `not_found` */
export async function showTestRun(deps: ReadDeps, actor: Reader, id: string): Promise<TestRun> {
  const [run] = await toTestRuns(deps, [await requireTestRun(deps, actor, id)]);
  return run!;
}

async function toTestRuns({ store }: ReadDeps, rows: TestRunRow[]): Promise<TestRun[]> {
  const shards = await shardsOf(
    store.records,
    rows.map(({ id }) => id),
  );
  return Promise.all(
    rows.map(async (row) => {
      const previous = await previousTestRun(store.records, row);
      return toTestRun(row, shards.get(row.id) ?? [], previous?.id ?? null);
    }),
  );
}

/** One page of a run's tests by file and line. @throws AppError `not_found`, `invalid_request` naming the parameter */
export async function showTests(
  deps: ReadDeps,
  actor: Reader,
  id: string,
  query: TestListQuery,
): Promise<TestList> {
  const { records } = deps.store;
  const run = await requireTestRun(deps, actor, id);
  const limit = query.limit ?? USUAL_LIMIT;
  const { outcome, file, project, tag, change } = query;
  if (query.q?.includes("\0")) throw invalid('The query parameter "q" must not hold NUL characters.');
  const filters: TestFilters = {
    runId: run.id,
    previousId: (await previousTestRun(records, run))?.id ?? null,
    ...{ outcome, file, project, change },
    tag: tag === undefined || tag.startsWith("@") ? tag : `@${tag}`,
    words: query.q?.split(/\s+/).filter((word) => word !== "") ?? [],
    limit: limit + 1,
  };
  if (query.cursor !== undefined) filters.after = decodeTestCursor(query.cursor) ?? refuseCursor();
  const rows = await listTests(records, filters);
  const page = rows.slice(0, limit);
  const attempts = await attemptsOf(
    records,
    run.id,
    page.map(({ test_key }) => test_key),
  );
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map((row) => toTestOfRun(row, attempts.get(row.test_key) ?? [])),
    next_cursor: last ? encodeTestCursor({ file: last.file, line: last.line, key: last.test_key }) : null,
  };
}

/** The failed tests of a run by what made them fail, new failures and then the most frequent first. */
export async function showCauses(deps: ReadDeps, actor: Reader, id: string): Promise<CauseList> {
  const { records } = deps.store;
  const run = await requireTestRun(deps, actor, id);
  const previousId = (await previousTestRun(records, run))?.id ?? null;
  const failed = await listTests(records, {
    ...{ runId: run.id, previousId, outcome: "failed" as const },
    ...{ words: [], limit: MOST_FAILED },
  });
  const attempts = await attemptsOf(
    records,
    run.id,
    failed.map(({ test_key }) => test_key),
  );
  const groups = new Map<string, CauseList["items"][number]>();
  for (const test of failed) {
    const own = attempts.get(test.test_key) ?? [];
    const said = headlineOf(test, own);
    const signature = signatureOf(failedAttempt(test, own));
    const key = signature ?? `says ${said}`;
    const group = groups.get(key) ?? { signature, headline: said, count: 0, new_count: 0, test_ids: [] };
    groups.set(key, group);
    group.count += 1;
    if (test.change === "new_failure") group.new_count += 1;
    if (group.test_ids.length < MOST_IDS) group.test_ids.push(test.test_key);
  }
  return {
    items: [...groups.values()].sort((a, b) => b.new_count - a.new_count || b.count - a.count),
  };
}

const signatureOf = (attempt: TracedAttempt | null): string | null =>
  attempt?.trace_signature ?? attempt?.error_signature ?? null;

function refuseCursor(): never {
  throw invalid('The query parameter "cursor" is not one that this list gave out.');
}
