import { type Static, Type } from "@sinclair/typebox";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { fitting, told, toldOrNull } from "../../trace/fit.ts";
import { CHANGES, OUTCOMES } from "../../trace/format/test-run.ts";
import { oneOf } from "../../trace/model.ts";
import type { TestOfRun } from "../../trace/test-runs/model.ts";
import { showCauses, showTestRun, showTestRuns, showTests } from "../../trace/test-runs/service.ts";
import type { Caller } from "../caller.ts";
import { ToldError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import { Cursor, NextCursor, orNull, Text, TextOrNull, Url } from "./shared.ts";

const TEST_BYTES = 6_500;
const MOST_TESTS = 20;
const MOST_CAUSES = 5;

const Test = Type.Object({
  ...{
    id: Text,
    file: Text,
    line: Type.Integer(),
    title: Text,
    project: Text,
    outcome: Text,
    change: TextOrNull,
  },
  headline: orNull(Type.String({ description: "Why it failed." })),
  attempts: Type.Integer(),
  trace_id: orNull(Type.String({ description: "Of the last attempt that failed, else of the last." })),
});
type Test = Static<typeof Test>;

export const getTestRun = defineTool({
  name: "get_test_run",
  title: "Get a test run",
  description:
    "One run of a test suite: totals, what its failures have in common (causes), and its failed tests with the cause and trace of each. Without test_run: the newest, of a branch if one is given.",
  scope: ["traces:read"],
  whenMissing: 'Leave out "test_run" for the newest one.',
  input: Type.Object({
    test_run: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2000, description: "Id, short id or page address." }),
    ),
    branch: Type.Optional(Type.String({ maxLength: 500 })),
    outcome: Type.Optional({ ...oneOf(OUTCOMES), description: "failed when absent." }),
    change: Type.Optional(oneOf(CHANGES)),
    q: Type.Optional(Type.String({ maxLength: 1000, description: "Words of file, title or project." })),
    cursor: Cursor,
  }),
  output: Type.Object({
    run: Type.Object({
      ...{
        id: Text,
        short_id: Text,
        name: TextOrNull,
        status: Text,
        branch: TextOrNull,
        commit_sha: TextOrNull,
      },
      ...{ pr_number: orNull(Type.Integer()), started_at: Text, duration_ms: Type.Integer() },
      totals: Type.Object({}, { additionalProperties: Type.Integer() }),
      previous_id: TextOrNull,
    }),
    causes: Type.Array(
      Type.Object({ headline: TextOrNull, count: Type.Integer(), new_count: Type.Integer() }),
    ),
    tests: Type.Array(Test),
    url: Url,
    next_cursor: NextCursor,
  }),
  async call(deps, caller, { test_run: named, branch, cursor, ...filters }) {
    const id = named === undefined ? await newestOf(deps, caller, branch) : readReference(named);
    const run = await showTestRun(deps, caller.actor, id);
    const { outcome = "failed", change, q } = filters;
    const query = { outcome, change, q, cursor, limit: MOST_TESTS };
    const page = await showTests(deps, caller.actor, run.id, query);
    const all = page.items.map(toTest);
    const tests = fitting(all, TEST_BYTES);
    // The service's cursors are of its own pages: a shorter page is asked for, to have the one of its end.
    const next =
      tests.length === all.length
        ? page.next_cursor
        : (await showTests(deps, caller.actor, run.id, { ...query, limit: tests.length })).next_cursor;
    const causes = cursor === undefined ? (await showCauses(deps, caller.actor, run.id)).items : [];
    const { short_id, status, pr_number, started_at, duration_ms, totals, previous_id } = run;
    return {
      run: {
        ...{
          id: run.id,
          short_id,
          name: toldOrNull(run.name, 200),
          status,
          branch: toldOrNull(run.branch, 200),
        },
        ...{
          commit_sha: toldOrNull(run.commit_sha, 100),
          pr_number,
          started_at,
          duration_ms,
          totals,
          previous_id,
        },
      },
      causes: causes
        .slice(0, MOST_CAUSES)
        .map(({ headline, count, new_count }) => ({ headline: toldOrNull(headline, 240), count, new_count })),
      tests,
      url: `${caller.publicOrigin}/test-runs/${short_id}`,
      next_cursor: next,
    };
  },
});

async function newestOf(deps: Deps, { actor }: Caller, branch: string | undefined): Promise<string> {
  const { items } = await showTestRuns(deps, actor, { branch, limit: 1 });
  if (items[0]) return items[0].id;
  throw new ToldError(
    "not_found",
    branch === undefined
      ? "There is no test run yet: list_traces lists single traces."
      : `No test run is of the branch "${told(branch, 100)}". Leave out "branch" for the newest of all.`,
  );
}

function readReference(text: string): string {
  const given = text.trim();
  const path = URL.parse(given, "http://localhost")?.pathname ?? "";
  const id = /^\/(?:v1\/)?test-runs\/([^/]+)/.exec(path)?.[1] ?? given;
  if (!/^[\w-]{1,64}$/.test(id))
    throw invalid('The argument "test_run" must be the id, short id or page address of a test run.');
  return id;
}

function toTest({
  id,
  file,
  line,
  title_path,
  project,
  outcome,
  change,
  headline,
  attempts,
}: TestOfRun): Test {
  const failed = attempts.findLast(({ status, trace_id }) => status !== "passed" && trace_id !== null);
  return {
    ...{
      id,
      file: told(file, 160),
      line,
      title: told(title_path.join(" › "), 200),
      project: told(project, 60),
    },
    ...{ outcome, change, headline: toldOrNull(headline, 240), attempts: attempts.length },
    trace_id: failed?.trace_id ?? attempts.findLast(({ trace_id }) => trace_id !== null)?.trace_id ?? null,
  };
}
