import type { Deps } from "../deps.ts";
import type { JobContext, JobHandler } from "./types.ts";

const BEAT_MS = 10_000;
/** Work that told of its progress and has given no sign of life for so long hangs. */
export const HANGS_AFTER_MS = 10 * 60_000;

/** What work is done with whose job keeps its lease. */
export interface KeptLease {
  /** Aborts with the job, and when the work hangs. */
  signal: AbortSignal;
  /** A sign of life. Work that never gave one may be silent for as long as it likes. */
  onProgress(): void;
}

/**
 * Extends a job's lease for as long as its work goes on, the wait for a free worker included. Work that hangs is
 * aborted, and that is a failed attempt.
 */
export async function keepingLease<T>(
  deps: Pick<Deps, "clock" | "log">,
  context: Pick<JobContext, "heartbeat" | "signal">,
  work: (kept: KeptLease) => Promise<T>,
): Promise<T> {
  const { clock, log } = deps;
  const hangs = new AbortController();
  const over = new AbortController();
  let lastSign: number | null = null;

  async function beat() {
    for (;;) {
      await clock.sleep(BEAT_MS, over.signal);
      if (over.signal.aborted || context.signal.aborted) return;
      await context.heartbeat().catch((error) => {
        // A lost lease aborts the signal; anything else may be better next time.
        if (!over.signal.aborted && !context.signal.aborted)
          log.warn("The lease of a job could not be extended", { error });
      });
      if (lastSign !== null && clock.monotonic() - lastSign > HANGS_AFTER_MS)
        hangs.abort(new Error(`The worker gave no sign of life for ${HANGS_AFTER_MS / 60_000} minutes.`));
    }
  }
  const beating = beat();
  try {
    return await work({
      signal: AbortSignal.any([context.signal, hangs.signal]),
      onProgress: () => {
        lastSign = clock.monotonic();
      },
    });
  } finally {
    over.abort();
    await beating;
  }
}

/**
 * A handler whose job keeps its lease for as long as it is at work, its waits for locks and for the network included. It is for work
 * whose length depends on a file, a disk or somebody else's server.
 */
export function withKeptLease(deps: Pick<Deps, "clock" | "log">, handle: JobHandler): JobHandler {
  return (payload, context) =>
    keepingLease(deps, context, ({ signal }) => handle(payload, { ...context, signal }));
}
