import { listOpenRuns, pruneRuns } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import type { JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { executeRun } from "./execute.ts";
import { failOrphanedRun } from "./fail-orphaned.ts";
import { EXECUTE } from "./kinds.ts";

const DAY_MS = 24 * 60 * 60_000;
const PRUNED_AT_ONCE = 1000;

/** Jobs that carry runs out. */
export function runHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: EXECUTE,
      atMost: deps.config.settings.browser.slots,
      handle: ({ run_id }, context) => executeRun(deps, deps.runState.runs, String(run_id), context),
    },
  ];
}

/** Runs that were under way when the last server of this folder ended. Call it before any job is taken. */
export async function failOrphanedRuns(deps: Deps): Promise<void> {
  for (const run of await listOpenRuns(deps.store.records, "running")) await failOrphanedRun(deps, run);
}

/** Removes runs that are older than the settings keep them. */
export function pruneRunsTask(deps: Deps): PeriodicTask {
  return {
    name: "runs.prune",
    everyMs: 60 * 60_000,
    async run() {
      const before = deps.clock.now() - deps.config.settings.retention.runs_days * DAY_MS;
      await pruneRuns(deps.store.records, before, PRUNED_AT_ONCE);
    },
  };
}
