import type { Defaulted } from "./columns.ts";

export const MENDER_STATUSES = ["proposed", "verified", "applied", "rejected", "failed"] as const;
export type MenderStatus = (typeof MENDER_STATUSES)[number];

/** `repeating`: the failure is repeated without a change; `verifying`: with one. */
export type MenderStage = "diagnosing" | "repeating" | "verifying" | "ended";

/** Rows of attempts to mend a scenario. Times are integer milliseconds UTC. */
export interface MenderTables {
  mender_attempts: {
    id: string;
    org_id: string;
    scenario_id: string;
    run_id: string;
    trace_id: string;
    failure_signature: string;
    basis: string;
    promoted_replay_id: string | null;
    status: MenderStatus;
    stage: MenderStage;
    origin: "rules" | "model" | "replay";
    classification: string;
    confidence: number;
    summary: string;
    /** JSON array. */
    evidence: string;
    path: string;
    base_text: string;
    patch: Defaulted<string | null>;
    /** JSON array of `{ path, diff }`. */
    source_patches: Defaulted<string>;
    patch_hash: Defaulted<string | null>;
    /** JSON array. */
    waiting: Defaulted<string>;
    replay_id: Defaulted<string | null>;
    rounds: Defaulted<number>;
    /** JSON. */
    verification: Defaulted<string | null>;
    pr_url: Defaulted<string | null>;
    reject_reason: Defaulted<string | null>;
    decided_by: Defaulted<string | null>;
    tokens_used: Defaulted<number>;
    created_at: number;
    updated_at: number;
  };
}
