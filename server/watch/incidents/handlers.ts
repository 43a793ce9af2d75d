import type { Deps } from "../../deps.ts";
import type { JobHandler, PeriodicTask } from "../../jobs/types.ts";
import { followRun } from "./follow-run.ts";
import { remindersTask } from "./reminders.ts";
import { surroundingsOf } from "./surroundings.ts";
import { endUnwatchedTask, pruneIncidentsTask } from "./tasks.ts";

/** Decides on a run that has ended; payload `{ run_id }`. */
export function followRunHandler(deps: Deps): JobHandler {
  const surroundings = surroundingsOf(deps);
  return ({ run_id }) => followRun(deps, surroundings, String(run_id));
}

export function incidentTasks(deps: Deps): PeriodicTask[] {
  const surroundings = surroundingsOf(deps);
  return [endUnwatchedTask(deps, surroundings), remindersTask(deps, surroundings), pruneIncidentsTask(deps)];
}
