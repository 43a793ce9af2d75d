import type { Defaulted } from "./columns.ts";

export type TestRunStatus = "running" | "passed" | "failed" | "interrupted";
export type TestOutcome = "passed" | "failed" | "flaky" | "skipped" | "not_run";
export type ExpectedStatus = "passed" | "failed" | "skipped";
export type AttemptStatus = "passed" | "failed" | "timed_out" | "interrupted" | "skipped";

/** Rows of runs of a test suite. Times are integer milliseconds UTC, flags 0 or 1. */
export interface TestRunTables {
  test_runs: TestRunsTable;
  /** `name` is "" for a run without one. */
  test_run_keys: {
    org_id: string;
    ci_run_id: string;
    name: string;
    test_run_id: string;
    created_at: number;
  };
  /** Test runs whose record is behind. */
  test_run_records_due: { test_run_id: string; changes: Defaulted<number> };
  test_run_shards: {
    test_run_id: string;
    shard_index: number;
    shard_total: number;
    status: TestRunStatus;
    ended_at: Defaulted<number | null>;
  };
  test_run_tests: {
    test_run_id: string;
    /** Of project, file and titles: the same in every run. */
    test_key: string;
    org_id: string;
    scenario_id: string;
    project: string;
    file: string;
    line: number;
    /** JSON array. */
    title_path: string;
    /** JSON array. */
    tags: string;
    /** JSON array of `{ type, description }`. */
    annotations: string;
    search_text: string;
    outcome: TestOutcome;
    expected: ExpectedStatus;
    duration_ms: number;
    started_at: number;
    last_attempt: number;
  };
  test_run_attempts: {
    test_run_id: string;
    test_key: string;
    attempt: number;
    status: AttemptStatus;
    expected: ExpectedStatus;
    duration_ms: number;
    started_at: number;
    trace_id: string | null;
    error_message: string | null;
    error_stack: string | null;
    error_signature: string | null;
  };
}

interface TestRunsTable {
  id: string;
  org_id: string;
  short_id: string;
  name: string | null;
  ci_provider: string | null;
  ci_run_id: string | null;
  ci_url: string | null;
  branch: string | null;
  commit_sha: string | null;
  is_dirty: Defaulted<number>;
  pr_number: number | null;
  status: TestRunStatus;
  started_at: number;
  /** Set as soon as it does not run any more. */
  ended_at: Defaulted<number | null>;
  created_at: number;
  /** When something was last heard of it. */
  heard_at: number;
  /** Whether it is interrupted because nothing was heard of it. */
  was_silent: Defaulted<number>;
  passed: Defaulted<number>;
  failed: Defaulted<number>;
  flaky: Defaulted<number>;
  skipped: Defaulted<number>;
  not_run: Defaulted<number>;
}
