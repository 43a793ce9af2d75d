import type { Deps } from "../deps.ts";
import { type CommitDeps, commit } from "./commit.ts";
import { keepingLease } from "./lease.ts";
import type { JobHandlers, PeriodicTask } from "./types.ts";

/** The kind of the jobs of a task, e.g. `periodic.blob_collector`. */
export const periodicKind = ({ name }: Pick<PeriodicTask, "name">) =>
  `periodic.${name.replaceAll(/[ .]/g, "_")}`;

/** Who handles the jobs of the tasks that are of the store. One that fails is logged and done again in the next period. */
export function periodicHandlers(
  tasks: readonly PeriodicTask[],
  deps: Pick<Deps, "clock" | "log">,
): JobHandlers {
  return tasks
    .filter((task) => task.of === "store")
    .map((task) => ({
      kind: periodicKind(task),
      async handle(_payload, context) {
        try {
          await keepingLease(deps, context, () => task.run());
        } catch (error) {
          if (context.signal.aborted) throw error;
          deps.log.error("a periodic task failed", { task: task.name, error });
        }
      },
    }));
}

/**
 * Adds the job of a task for the period that goes on, where there is something to do. Periods are counted from 1970, so
 * that they are the same for every server: whoever comes second adds nothing, also when the job is done by then.
 */
export async function addPeriodic(
  deps: CommitDeps & Pick<Deps, "clock">,
  task: Pick<PeriodicTask, "name" | "everyMs" | "isDue">,
): Promise<void> {
  if (task.isDue && !(await task.isDue())) return;
  const now = deps.clock.now();
  await commit(deps, (_, after) =>
    after.add({
      kind: periodicKind(task),
      payload: {},
      // One that still waits does what is due now too.
      dedupeKey: task.name,
      periodAt: now - (now % task.everyMs),
    }),
  );
}
