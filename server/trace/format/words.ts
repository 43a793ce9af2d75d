/** A whole number with its thousands apart: `1,234`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count and what is counted: `1 step`, `2 steps`, `1,234 bodies`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * A span of time, ms, from an hour on: `1 h 04 min`, and days from two on: `61 d 19 h`. A shorter one is told by `short`; what
 * is no span (negative, or no number) is a dash.
 */
export function span(ms: number, short: (ms: number) => string): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < HOUR) return short(ms);
  if (ms >= 2 * DAY) return `${grouped(Math.floor(ms / DAY))} d ${Math.floor((ms % DAY) / HOUR)} h`;
  return `${Math.floor(ms / HOUR)} h ${String(Math.floor((ms % HOUR) / 60_000)).padStart(2, "0")} min`;
}

/** What is told of a trace whose end lies before its start; null when it does not. Times in epoch ms. */
export function endBeforeStart(startedAt: number | null, endedAt: number | null): string | null {
  if (startedAt === null || endedAt === null || endedAt >= startedAt) return null;
  return "The end lies before the start, so the duration is told as 0.";
}
