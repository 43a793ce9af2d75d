import type { PastTrace } from "../../../store/records/histories.ts";
import { type TestVerdict, testVerdicts, tracesOfTestRuns } from "../../../store/records/test-run-tests.ts";
import type { Deps } from "../../deps.ts";
import type { Verdict } from "./statistics.ts";

/** A verdict and when it was given, epoch ms. */
type Timed = Verdict & { at: number };

/**
 * How a scenario did, run by run, oldest first: a test run counts once however many attempts there were, and so do the
 * traces of one run. Tests that left no trace count too; those that did not run say nothing.
 * @param traces the newest of the scenario, newest first; no more runs are told of
 */
export async function verdictsOf(
  { store: { records } }: Pick<Deps, "store">,
  scenario: { orgId: string; scenarioId: string },
  traces: readonly PastTrace[],
  options: { limit: number; until?: number | undefined },
): Promise<Verdict[]> {
  const ids = traces.map(({ id }) => id);
  const [tests, told] = await Promise.all([
    testVerdicts(records, scenario, options),
    tracesOfTestRuns(records, ids),
  ]);
  const alone = traces.filter(({ id }) => !told.has(id));
  const runs = Map.groupBy(alone, ({ id, run_id }) => run_id ?? id);
  return [...[...runs.values()].map(ofTraces), ...tests.flatMap(ofTest)]
    .sort((a, b) => b.at - a.at)
    .slice(0, options.limit)
    .toReversed();
}

/** The attempts of one run, newest first: its last word counts, and it is flaky when that is not its first. */
function ofTraces(attempts: PastTrace[]): Timed {
  const last = attempts.reduce((best, one) => ((one.attempt ?? 0) > (best.attempt ?? 0) ? one : best));
  return {
    status: last.status,
    code_sha: last.code_sha,
    duration_ms: last.duration_ms,
    is_flaky: last.status === "passed" && attempts.some(({ status }) => status === "failed"),
    at: last.created_at,
  };
}

function ofTest(test: TestVerdict): Timed[] {
  const { outcome } = test;
  if (outcome === "skipped" || outcome === "not_run") return [];
  return [
    {
      status: outcome === "failed" ? "failed" : "passed",
      // A changed tree is not the code of its commit.
      code_sha: test.is_dirty === 1 ? null : test.commit_sha,
      duration_ms: test.duration_ms,
      is_flaky: outcome === "flaky",
      at: test.started_at,
    },
  ];
}
