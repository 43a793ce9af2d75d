import { prunePlans } from "../../../store/records/run-plans.ts";
import { pruneRuns, runsUnderWay } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { forEachApart } from "../../jobs/each-apart.ts";
import type { JobHandler, JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { RUN_ENDED } from "../../trace/kinds.ts";
import { executeRun } from "./execute.ts";
import { failOrphanedRun } from "./fail-orphaned.ts";
import { EXECUTE } from "./kinds.ts";

const DAY_MS = 24 * 60 * 60_000;
const PRUNED_AT_ONCE = 1000;

/**
 * Jobs that carry runs out.
 * @param followRunEnd what follows the end of a run and must not be lost with the process, one after the other; payload `{ run_id }` of
 * a run that has its final status. Who follows lies on higher floors
 */
export function runHandlers(deps: Deps, followRunEnd: readonly JobHandler[]): JobHandlers {
  return [
    {
      kind: EXECUTE,
      atMost: deps.config.settings.browser.slots,
      handle: ({ run_id }, context) => executeRun(deps, deps.runState.runs, String(run_id), context),
    },
    {
      kind: RUN_ENDED,
      async handle(payload, context) {
        for (const follow of followRunEnd) await follow(payload, context);
      },
    },
  ];
}

/**
 * Runs that this server had under way when it last ended. Call it before any job is taken. Those of other servers go on; one that
 * never comes back loses its leases, and whoever takes its jobs then settles its runs.
 */
export async function failOrphanedRuns(deps: Deps): Promise<void> {
  const lost = await runsUnderWay(deps.store.records, deps.serverId);
  await forEachApart(deps, lost, "A run that a crash left could not be ended", (run) =>
    failOrphanedRun(deps, run),
  );
}

/** Removes runs that are older than the settings keep them. */
export function pruneRunsTask(deps: Deps): PeriodicTask {
  return {
    name: "runs.prune",
    everyMs: 60 * 60_000,
    of: "store",
    async run() {
      const before = deps.clock.now() - deps.config.settings.retention.runs_days * DAY_MS;
      // A transaction each, so that nobody waits long.
      while ((await pruneRuns(deps.store.records, before, PRUNED_AT_ONCE)) === PRUNED_AT_ONCE);
      await prunePlans(deps.store.records, before);
    },
  };
}
