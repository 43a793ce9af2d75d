import { admitRuns, lostPlaces, orgsWithWaitingRuns } from "../../../store/records/check-ticks.ts";
import { findRun } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { forEachApart } from "../../jobs/each-apart.ts";
import { EXECUTE } from "../../run/runs/kinds.ts";
import { settleRun } from "../../run/runs/settle.ts";

/** A job that ends has a moment to end its run. */
const LOST_AFTER_MS = 60_000;

/**
 * Gives the runs of checks that wait a job each, as many of an org at once as its plan allows, those that wait longest first.
 * @returns how many got one
 */
export async function admitWaiting(deps: Deps): Promise<number> {
  let admitted = 0;
  for (const orgId of await orgsWithWaitingRuns(deps.store.records)) {
    const most = deps.config.limits.scheduledAtOnce;
    admitted += await commit(deps, async (within, after) => {
      const ids = await admitRuns(within, { orgId, most, now: deps.clock.now() });
      for (const id of ids)
        await after.add({ kind: EXECUTE, payload: { run_id: id }, dedupeKey: id, maxAttempts: 1 });
      return ids.length;
    });
  }
  return admitted;
}

/** Ends runs whose job is over though they never began: they would hold their place, and their check, for good. */
export async function endLostRuns(deps: Deps): Promise<void> {
  const before = deps.clock.now() - LOST_AFTER_MS;
  const lost = await lostPlaces(deps.store.records, { kind: EXECUTE, before });
  const runs = lost.map((id) => ({ id }));
  await forEachApart(deps, runs, "A run that never began could not be ended", async ({ id }) => {
    const run = await findRun(deps.store.records, id);
    const message = "The run was given up before it began; the server's log has the cause.";
    if (run)
      await settleRun(deps, run, {
        status: "error",
        error: { reason: "runner_lost", message, stepId: null },
      });
  });
}
