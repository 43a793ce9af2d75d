import type { Deps } from "../deps.ts";
import type { CommitDeps } from "./commit.ts";
import { addPeriodic } from "./periodic.ts";
import type { PeriodicTask } from "./types.ts";

/**
 * Looks after periodic tasks, each at once and then again and again. What is of this server it does itself, so long after it
 * ended; for what is of the store it adds a job, in every period. A task that fails is logged and done again.
 */
export function createTicker(tasks: PeriodicTask[], deps: CommitDeps & Pick<Deps, "clock" | "log">) {
  const stopping = new AbortController();
  let loops: Promise<void>[] = [];

  async function loop(task: PeriodicTask) {
    const isOfStore = task.of === "store";
    while (!stopping.signal.aborted) {
      try {
        await (isOfStore ? addPeriodic(deps, task) : task.run());
      } catch (error) {
        deps.log.error("a periodic task failed", { task: task.name, error });
      }
      const sinceBegin = isOfStore ? deps.clock.now() % task.everyMs : 0;
      await deps.clock.sleep(task.everyMs - sinceBegin, stopping.signal);
    }
  }

  return {
    start() {
      loops = tasks.map(loop);
    },
    /** Begins nothing new and waits for what runs. */
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
