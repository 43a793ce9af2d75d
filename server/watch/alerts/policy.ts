/** What a check asks of its alerts (decisions, section 7), whole: what its maker left out has its default. */
export interface AlertPolicy {
  /** Failures in a row that open an incident. */
  consecutive_failures: number;
  failure_rate: { percent: number; window_minutes: number; min_samples: number };
  /** Absent: how long runs take is nobody's concern. */
  latency_p99?: { ms: number; window_minutes: number };
  /** Whether answers of clones that differ from production's open an incident. */
  shadow_diff: boolean;
  self_heal: "informational";
  /** How often a run that failed is made again before its failure counts. */
  retries: number;
  /** Ids of channels; absent for all that are enabled, none for silence. */
  channels?: string[];
}

/** An alert policy as it is kept, with what may be missing from it. */
export type PartialPolicy = Partial<Omit<AlertPolicy, "failure_rate">> & {
  failure_rate?: Partial<AlertPolicy["failure_rate"]>;
};

/** A policy with its defaults. @param shadowProd whether the check compares its clones with production */
export function wholePolicy(policy: PartialPolicy, shadowProd: boolean): AlertPolicy {
  return {
    consecutive_failures: 2,
    shadow_diff: shadowProd,
    self_heal: "informational",
    retries: 1,
    ...policy,
    failure_rate: { percent: 50, window_minutes: 30, min_samples: 4, ...policy.failure_rate },
  };
}

/** Passed runs that the 99th percentile needs. */
export const LATENCY_SAMPLES = 20;

/** Successes in a row that end an incident. */
export const SUCCESSES = 2;

/** How far back the rules of a policy look, in ms. */
export function windowOf({ failure_rate, latency_p99 }: AlertPolicy): number {
  return Math.max(failure_rate.window_minutes, latency_p99?.window_minutes ?? 0) * 60_000;
}

/** How many results the rules of a policy need besides those of its windows. */
export const tailOf = ({ consecutive_failures }: AlertPolicy): number =>
  Math.max(consecutive_failures, SUCCESSES);
