import { gateScenarios } from "../../../store/records/gate-scenarios.ts";
import { ENDED, findRun } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { settleRun } from "../../run/runs/settle.ts";

/** Ends the runs of a gate that no longer counts: those that are queued, and those that this server has under way. */
export async function dropRuns(deps: Deps, gateId: string): Promise<void> {
  for (const { run_id, base_run_id } of await gateScenarios(deps.store.records, gateId))
    for (const id of [run_id, base_run_id]) {
      const run = id === null ? null : await findRun(deps.store.records, id);
      if (!run || ENDED.includes(run.status)) continue;
      const error = {
        reason: "aborted",
        message: "The commit that it was for is not judged any more.",
        stepId: null,
      } as const;
      if (run.status === "queued") await settleRun(deps, run, { status: "aborted", error }, true);
      deps.runState.runs.controls.get(run.id)?.abort();
    }
}
