import type { AlertPolicy } from "../policy.ts";

/** Successes in a row that end an incident. */
export const SUCCESSES = 2;

/** Results that one decision reads at most: a run and a shadow diff every minute, for as long as a window may be. */
export const MOST_RESULTS = 2 * 7 * 24 * 60;

/** How far back the rules of a policy look, in ms. */
export function windowOf({ failure_rate, latency_p99 }: AlertPolicy): number {
  return Math.max(failure_rate?.window_minutes ?? 0, latency_p99?.window_minutes ?? 0) * 60_000;
}

/** How many results the rules of a policy need though they lie before its windows; runs and shadow diffs lie in one line. */
export const tailOf = ({ consecutive_failures }: AlertPolicy): number =>
  2 * Math.max(consecutive_failures ?? 0, SUCCESSES);
