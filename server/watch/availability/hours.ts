import type { HourResult, ResultHourRow } from "../../../store/records/result-hours.ts";
import { addTo, mergeInto, type Sketch } from "./sketch.ts";
import { joined, outside, type Span, spokenBy } from "./spans.ts";

export const HOUR_MS = 60 * 60_000;
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

/** What results came to within an hour, or several. Times in ms. */
export interface Sums {
  up: number;
  down: number;
  maintenance: number;
  passed: number;
  failed: number;
  errors: number;
  durations: Sketch;
}

export const noSums = (): Sums => ({
  ...{ up: 0, down: 0, maintenance: 0, passed: 0, failed: 0, errors: 0, durations: {} },
});

export function addSums(sums: Sums, other: Sums): void {
  for (const key of ["up", "down", "maintenance", "passed", "failed", "errors"] as const)
    sums[key] += other[key];
  mergeInto(sums.durations, other.durations);
}

/** What is known around results of one series. */
export interface Around {
  /** Where maintenance went on. */
  maintenance: readonly Span[];
  /** Epoch ms, in their order: when a fire was left out, or a rest began. */
  cuts: readonly number[];
  /** How long a result speaks at most. */
  holdMs: number;
}

/**
 * What results came to, by the beginning of each hour. Maintenance is neither up nor down.
 * @param before the result before the first one, whose own count is elsewhere
 * @param results oldest first
 * @param until epoch ms: where time ends
 */
export function toHours(
  before: Pick<HourResult, "at" | "status"> | null,
  results: readonly HourResult[],
  around: Around,
  until: number,
): Map<number, Sums> {
  const hours = new Map<number, Sums>();
  const at = (moment: number): Sums => {
    const hour = hourOf(moment);
    const known = hours.get(hour) ?? noSums();
    hours.set(hour, known);
    return known;
  };
  for (const result of results) {
    const sums = at(result.at);
    if (result.status === "passed") addTo(sums.durations, result.duration_ms);
    sums[result.status === "error" ? "errors" : result.status] += 1;
  }
  const known = before ? [before, ...results] : results;
  const [first] = known;
  if (!first) return hours;
  const quiet = joined(around.maintenance);
  for (const spoken of spokenBy(known, { ...around, until }))
    for (const part of outside(spoken, quiet))
      for (const { from, to } of byHour(part)) at(from)[spoken.state] += to - from;
  for (const { from, to } of quiet.flatMap((span) => byHour(clip(span, { from: first.at, to: until }))))
    at(from).maintenance += to - from;
  return hours;
}

const clip = (span: Span, { from, to }: Span): Span => ({
  from: Math.max(span.from, from),
  to: Math.min(span.to, to),
});

/** A span in parts, each within an hour. */
export function byHour({ from, to }: Span): Span[] {
  const parts: Span[] = [];
  for (let at = from; at < to; at = hourOf(at) + HOUR_MS)
    parts.push({ from: at, to: Math.min(to, hourOf(at) + HOUR_MS) });
  return parts;
}

export const fromRow = (row: ResultHourRow): Sums => ({
  ...{ up: row.up_ms, down: row.down_ms, maintenance: row.maintenance_ms },
  ...{ passed: row.passed, failed: row.failed, errors: row.errors },
  durations: JSON.parse(row.durations) as Sketch,
});

export const toRow = (sums: Sums) => ({
  ...{ up_ms: sums.up, down_ms: sums.down, maintenance_ms: sums.maintenance },
  ...{ passed: sums.passed, failed: sums.failed, errors: sums.errors },
  durations: JSON.stringify(sums.durations),
});
