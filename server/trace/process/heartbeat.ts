import type { Deps } from "../../deps.ts";
import type { JobContext } from "../../jobs/types.ts";

const BEAT_MS = 10_000;

/** Keeps the lease while the worker gets on; a lost one aborts the worker through the job's signal. */
export function beating(
  deps: Pick<Deps, "clock" | "log">,
  context: Pick<JobContext, "heartbeat">,
): () => void {
  let last = deps.clock.monotonic();
  return () => {
    if (deps.clock.monotonic() - last < BEAT_MS) return;
    last = deps.clock.monotonic();
    context.heartbeat().catch((error) => deps.log.warn("A heartbeat failed", { error }));
  };
}
