import type { Defaulted } from "./columns.ts";

/** Rows of alerts and incidents. Times are integer milliseconds UTC. */
export interface AlertTables {
  /** Results that count, or would: of final attempts of scheduled runs and of shadow diffs. */
  alert_results: {
    run_id: string;
    org_id: string;
    scenario_id: string;
    region: string;
    kind: "run" | "shadow";
    status: "passed" | "failed" | "error";
    /** When the run ended. */
    at: number;
    duration_ms: number;
    failure_signature: string | null;
    trace_id: string | null;
    healed: number;
    /** Why it counts for nothing; null when it counts. */
    ignored: string | null;
  };
  incidents: {
    id: string;
    org_id: string;
    scenario_id: string;
    region: string;
    type: "consecutive_failures" | "failure_rate" | "latency_p99" | "shadow_diff" | "global_outage";
    status: "open" | "acknowledged" | "suppressed" | "resolved";
    severity: "critical" | "error" | "warning";
    /** JSON array. */
    rules: string;
    /** JSON: the whole alert policy as it was when the incident opened. */
    policy: string;
    opened_at: number;
    /** When the first rule about failures fired; null while none has. */
    failing_at: number | null;
    acknowledged_at: number | null;
    acknowledged_by: string | null;
    suppressed_until: number | null;
    suppress_reason: string | null;
    resolved_at: number | null;
    /** 1 when it ended since no check watched it any more. */
    unwatched: Defaulted<number>;
    parent_incident_id: string | null;
    failure_signature: string | null;
    last_run_id: string;
    trace_id: string | null;
  };
  incident_timeline: {
    incident_id: string;
    seq: number;
    at: number;
    kind: string;
    actor: string | null;
    text: string;
    run_id: string | null;
    /** JSON array of ids of runs. */
    samples: string;
  };
  notices: {
    id: string;
    org_id: string;
    event: string;
    incident_id: string | null;
    scenario_id: string | null;
    region: string | null;
    run_id: string | null;
    failure_signature: string | null;
    trace_id: string | null;
    /** JSON array of ids; null for all that are enabled. */
    channels: string | null;
    due_at: number;
    created_at: number;
    reason: string;
    superseded_at: Defaulted<number | null>;
    superseded_reason: Defaulted<string | null>;
    /** The gate that it tells of. */
    gate_id: Defaulted<string | null>;
    handed_on_at: Defaulted<number | null>;
    /** Of a fix that is told. */
    mender_attempt_id: Defaulted<string | null>;
  };
  run_errors: {
    scenario_id: string;
    region: string;
    org_id: string;
    errors: number;
    last_run_id: string;
    /** When somebody was told of them. */
    told_at: Defaulted<number | null>;
  };
  self_alerts: { org_id: string; opened_at: number; run_id: string };
}
