export const OUTCOMES = ["passed", "failed", "flaky", "skipped", "not_run"] as const;
export const ATTEMPT_STATUSES = ["passed", "failed", "timed_out", "interrupted", "skipped"] as const;
export const EXPECTED = ["passed", "failed", "skipped"] as const;
export const CHANGES = ["new_failure", "still_failing", "fixed", "new_flaky"] as const;

export type Outcome = (typeof OUTCOMES)[number];
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
export type Expected = (typeof EXPECTED)[number];

/** One attempt of a test as reporters and report files tell of it. */
export interface ReportedResult {
  /** Relative to the root of the tests, with / on every system. */
  file: string;
  line: number;
  /** Of the suites within the file and the test. */
  title_path: string[];
  /** "" when there are none. */
  project: string;
  /** With their `@`. */
  tags: string[];
  annotations: { type: string; description: string | null }[];
  /** From 1. */
  attempt: number;
  status: AttemptStatus;
  expected: Expected;
  duration_ms: number;
  /** ISO 8601. */
  started_at: string;
  error: { message: string; stack?: string } | null;
}

/** A whole run as a report file tells of it. */
export interface ReportedRun {
  results: ReportedResult[];
  /** ISO 8601. */
  started_at: string;
  ended_at: string;
  status: "passed" | "failed" | "interrupted";
  shard: { index: number; total: number } | null;
  /** What the report says of where it was made. */
  branch: string | null;
  commit_sha: string | null;
  ci_url: string | null;
  warnings: string[];
}

/**
 * What Playwright calls the outcome of a test, from its attempts: one that fails as expected has passed, one that passes
 * unexpectedly has failed, and one that did both is flaky. One that was only skipped without being expected to, or
 * interrupted, did not run.
 * @param attempts in their order; what was expected of the last one counts for all
 */
export function outcomeOf(attempts: readonly { status: AttemptStatus; expected: Expected }[]): Outcome {
  const expected = attempts.at(-1)?.expected ?? "passed";
  let [skipped, met, missed] = [0, 0, 0];
  for (const { status } of attempts) {
    if (status === "interrupted") continue;
    if (status === "skipped") skipped += expected === "skipped" ? 1 : 0;
    else if (status === expected) met += 1;
    else missed += 1;
  }
  if (met === 0 && missed === 0) return skipped > 0 ? "skipped" : "not_run";
  if (missed === 0) return "passed";
  return met === 0 && skipped === 0 ? "failed" : "flaky";
}

/** How a run whose shards have all ended did. */
export function statusOfShards(
  statuses: readonly ("passed" | "failed" | "interrupted" | "running")[],
): "passed" | "failed" | "interrupted" {
  if (statuses.includes("failed")) return "failed";
  return statuses.every((status) => status === "passed") ? "passed" : "interrupted";
}
