import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { PeriodicTask } from "./types.ts";

/** Runs periodic tasks, each at once and then again so long after it ended; one that fails is logged and runs again. */
export function createTicker(tasks: PeriodicTask[], deps: { clock: Pick<Clock, "sleep">; log: Log }) {
  const stopping = new AbortController();
  let loops: Promise<void>[] = [];

  async function loop(task: PeriodicTask) {
    while (!stopping.signal.aborted) {
      try {
        await task.run();
      } catch (error) {
        deps.log.error("a periodic task failed", { task: task.name, error });
      }
      await deps.clock.sleep(task.everyMs, stopping.signal);
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
