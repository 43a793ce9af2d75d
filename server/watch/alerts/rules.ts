import type { AlertPolicy } from "../policy.ts";
import { SUCCESSES } from "./reach.ts";
import type { Incident, Result, Rule } from "./state.ts";

/** A rule that holds, in words, with the results that it looked at. */
export interface Firing {
  rule: Rule;
  text: string;
  samples: string[];
}

/** Passed runs that the 99th percentile needs. */
export const LATENCY_SAMPLES = 20;

const MINUTE_MS = 60_000;
const isRun = ({ kind }: Result): boolean => kind === "run";
const idsOf = (results: readonly Result[]): string[] => results.map(({ runId }) => runId);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/**
 * The rules that the newest result fires. A rule fires on a result that is bad by that rule, never on a good one.
 * @param results of one scenario and region since its last incident ended, oldest first
 */
export function firingRules(policy: AlertPolicy, results: readonly Result[]): Firing[] {
  const newest = results.at(-1);
  if (!newest) return [];
  if (newest.kind === "shadow") return newest.isSuccess || !policy.shadow_diff ? [] : [drift(newest)];
  const runs = results.filter(isRun);
  return [inARow(policy, runs), rate(policy, runs), latency(policy, runs)].filter(
    (firing): firing is Firing => firing !== null,
  );
}

const drift = ({ runId }: Result): Firing => ({
  rule: "shadow_diff",
  text: "The clones answered otherwise than production.",
  samples: [runId],
});

function inARow({ consecutive_failures: wanted }: AlertPolicy, runs: readonly Result[]): Firing | null {
  if (wanted === null) return null;
  const last = runs.slice(-wanted);
  if (last.length < wanted || last.some(({ isSuccess }) => isSuccess)) return null;
  const text = wanted === 1 ? "The run failed." : `${wanted} runs in a row failed.`;
  return { rule: "consecutive_failures", text, samples: idsOf(last) };
}

function rate({ failure_rate }: AlertPolicy, runs: readonly Result[]): Firing | null {
  const newest = runs.at(-1)!;
  if (newest.isSuccess || failure_rate === null) return null;
  const { percent, window_minutes, min_samples } = failure_rate;
  const within = inWindow(runs, newest.at, window_minutes);
  const failed = within.filter(({ isSuccess }) => !isSuccess).length;
  if (within.length < min_samples || failed * 100 < percent * within.length) return null;
  const share = Math.round((failed * 100) / within.length);
  const text = `${failed} of ${within.length} runs failed within ${window_minutes} minutes: ${share} %, where ${percent} % are the limit.`;
  return { rule: "failure_rate", text, samples: idsOf(within) };
}

function latency(policy: AlertPolicy, runs: readonly Result[]): Firing | null {
  const newest = runs.at(-1)!;
  if (!policy.latency_p99 || !isSlow(policy, newest)) return null;
  const { ms, window_minutes } = policy.latency_p99;
  const within = inWindow(runs, newest.at, window_minutes).filter(({ isSuccess }) => isSuccess);
  if (within.length < LATENCY_SAMPLES) return null;
  const p99 = percentile(
    within.map(({ durationMs }) => durationMs),
    99,
  );
  if (p99 <= ms) return null;
  const text = `The slowest hundredth of ${within.length} runs within ${window_minutes} minutes took ${seconds(p99)} or more, where ${seconds(ms)} are the limit.`;
  return { rule: "latency_p99", text, samples: idsOf(within) };
}

const isSlow = ({ latency_p99 }: AlertPolicy, { isSuccess, durationMs }: Result): boolean =>
  isSuccess && latency_p99 !== undefined && durationMs > latency_p99.ms;

/** The window is open at its beginning. */
function inWindow(runs: readonly Result[], end: number, minutes: number): Result[] {
  return runs.filter(({ at }) => at > end - minutes * MINUTE_MS);
}

/** By nearest rank: the smallest value that so many percent of all do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

/**
 * Whether a result is good by every rule that fired on an incident: where one was about the time that runs take, a slow run passes and is
 * not good.
 */
export const isGood = (policy: AlertPolicy, { rules }: Pick<Incident, "rules">, result: Result): boolean =>
  result.isSuccess && !(rules.includes("latency_p99") && isRun(result) && isSlow(policy, result));

/**
 * Whether the last results end an incident: two in a row that are good by every rule that fired. A drift ends by diffs without
 * one, or when nobody asks for diffs any more.
 */
export function isRecovered(
  policy: AlertPolicy,
  { rules }: Pick<Incident, "rules">,
  results: readonly Result[],
): boolean {
  const hasEnded = (kind: Result["kind"]) => {
    const last = results.filter((result) => result.kind === kind).slice(-SUCCESSES);
    return last.length === SUCCESSES && last.every((result) => isGood(policy, { rules }, result));
  };
  const isDrift = policy.shadow_diff && rules.includes("shadow_diff");
  const isFailure = rules.some((rule) => rule !== "shadow_diff");
  return (!isDrift || hasEnded("shadow")) && (!isFailure || hasEnded("run"));
}
