import type { PastTrace } from "../../../store/records/histories.ts";
import { type TestVerdict, testVerdicts, tracesOfTestRuns } from "../../../store/records/test-run-tests.ts";
import type { Deps } from "../../deps.ts";
import type { Verdict } from "./statistics.ts";

/** A verdict and when it was given, epoch ms. */
type Timed = Verdict & { at: number };

/**
 * How a scenario did, run by run, oldest first: a test run counts once however many attempts and traces there were, and a
 * trace that belongs to none counts by itself. Tests that left no trace count too; those that did not run say nothing.
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
  const alone = traces.filter(({ id }) => !told.has(id)).map((trace) => ({ ...trace, at: trace.created_at }));
  return [...alone, ...tests.flatMap(ofTest)]
    .sort((a, b) => b.at - a.at)
    .slice(0, options.limit)
    .toReversed();
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
