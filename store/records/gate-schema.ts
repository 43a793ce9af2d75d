import type { Defaulted } from "./columns.ts";

export type GateStatus =
  | "queued"
  | "waiting"
  | "running"
  | "passed"
  | "failed"
  | "error"
  | "superseded"
  | "cancelled";

/** Rows of the gate. Times are integer milliseconds UTC, flags 0 or 1. */
export interface GateTables {
  pull_requests: {
    id: string;
    org_id: string;
    /** `owner/name` */
    repository: string;
    number: number;
    title: string;
    url: string | null;
    author: string | null;
    state: "open" | "closed";
    is_merged: Defaulted<number>;
    is_draft: Defaulted<number>;
    is_fork: Defaulted<number>;
    head_sha: string;
    head_ref: string;
    base_sha: string;
    base_ref: string;
    /** The newest gate. */
    gate_id: string | null;
    /** When the code host says that it changed last. */
    host_updated_at: number;
    /** When something was last heard of it here. */
    changed_at: number;
  };
  gates: {
    id: string;
    org_id: string;
    kind: "pull_request" | "merge_group";
    repository: string;
    pull_request_id: string | null;
    pr_number: number | null;
    head_sha: string;
    head_ref: string;
    base_sha: string;
    /** When the pull request got the commit, as whoever asked says. */
    head_at: Defaulted<number | null>;
    is_fork: number;
    /** From 1: the same commit may be judged again. */
    attempt: number;
    /** What asked for it: an event of the code host, or `api`. */
    trigger: string;
    status: GateStatus;
    reason: Defaulted<string | null>;
    /** Where its runs go; null while nobody knows, or when they need no address. */
    base_url: Defaulted<string | null>;
    wait_until: Defaulted<number | null>;
    /** JSON: what came with the request instead of from a repository. */
    given: Defaulted<string | null>;
    /** JSON array of `{ path, line, column, message }`. */
    problems: Defaulted<string>;
    decision: Defaulted<"approved" | "rejected" | null>;
    decided_by: Defaulted<string | null>;
    decided_at: Defaulted<number | null>;
    /** Rises with every change that the code host is to be told of. */
    version: Defaulted<number>;
    told_version: Defaulted<number>;
    /** The host wants nobody to ask before. */
    tell_after: Defaulted<number | null>;
    check_run_id: Defaulted<number | null>;
    created_at: number;
    started_at: Defaulted<number | null>;
    ended_at: Defaulted<number | null>;
  };
  commit_recordings: {
    /** SHA-256 of the text, hex. */
    hash: string;
    /** The text, zstd-compressed. */
    har: Uint8Array;
    used_at: number;
  };
  gate_scenarios: {
    gate_id: string;
    slug: string;
    scenario_id: string;
    title: string;
    /** In the repository. */
    path: string;
    /** JSON array of `{ path, rule }`. */
    reasons: string;
    /** JSON: `RunPlan`; null once its run is made. */
    plan: string | null;
    /** Why no run is made of it. */
    withheld: string | null;
    run_id: Defaulted<string | null>;
    base_run_id: Defaulted<string | null>;
    /** JSON: what its run tells; null while that goes on. */
    finding: Defaulted<string | null>;
  };
}
