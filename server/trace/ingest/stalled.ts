import type { Clock } from "../../platform/clock.ts";

/** Slower than 1 KiB/s over a minute is stalled, however long a connection stays open. */
const RATE_WINDOW_MS = 60_000;
const LEAST_BYTES_PER_WINDOW = 60 * 1024;

/**
 * Resolves when a window of time brought too few bytes; once the signal has aborted, never.
 * @param received how many there are until now
 * @returns what happened, to stand behind the name of what stalled
 */
export async function stalled(clock: Clock, received: () => number, signal: AbortSignal): Promise<string> {
  for (;;) {
    const before = received();
    await clock.sleep(RATE_WINDOW_MS, signal);
    if (signal.aborted) return new Promise<never>(() => {});
    if (received() - before < LEAST_BYTES_PER_WINDOW)
      return `brought fewer than ${LEAST_BYTES_PER_WINDOW} bytes in ${RATE_WINDOW_MS / 1000} s and was given up`;
  }
}
