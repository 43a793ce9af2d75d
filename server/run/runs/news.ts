import type { RunRow } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";

/** Tells whoever follows a run, or its org's list of runs, that it changed. Call it after commit. */
export function tellRun(deps: Pick<Deps, "hub">, { id, org_id }: Pick<RunRow, "id" | "org_id">): void {
  deps.hub.publish(`run-logs:${id}`, { type: "status" });
  deps.hub.publish(`runs:${org_id}`, { type: "run.changed", id });
}
