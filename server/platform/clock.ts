/** The one source of time. Everything else is handed a `Clock`, so that tests can move it. */
export interface Clock {
  /** Wall clock, integer milliseconds since the epoch, UTC. May jump either way. */
  now(): number;
  /** Monotonic milliseconds, for measuring. Never goes back. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a timer can wait; with more it would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = performance.now() + ms;
      let timer = wait();
      signal?.addEventListener("abort", done, { once: true });
      function wait(): ReturnType<typeof setTimeout> {
        const left = end - performance.now();
        if (left <= MAX_TIMER_MS) return setTimeout(done, Math.max(0, left));
        return setTimeout(() => {
          timer = wait();
        }, MAX_TIMER_MS);
      }
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
    }),
};

/** ISO 8601 with milliseconds, UTC: the form every time has in JSON. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Milliseconds of an ISO 8601 time (date alone is midnight UTC); null when it is none, or no day of the calendar. */
export function fromIso(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return null;
  const zoned = /T/.test(text) && !/(Z|[+-]\d\d:?\d\d)$/.test(text) ? `${text}Z` : text;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) || !isDay(text.slice(0, 10)) ? null : ms;
}

/** `Date` makes March 2 of February 30. */
function isDay(day: string): boolean {
  const midnight = Date.parse(day);
  return !Number.isNaN(midnight) && toIso(midnight).startsWith(day);
}
