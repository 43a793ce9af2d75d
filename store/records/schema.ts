import type { Generated, GeneratedAlways } from "kysely";
import type { AlertTables } from "./alert-schema.ts";
import type { ChatTables } from "./chat-schema.ts";
import type { CheckTables } from "./check-schema.ts";
import type { Defaulted } from "./columns.ts";
import type { GateTables } from "./gate-schema.ts";
import type { GridTables } from "./grid-schema.ts";
import type { InboundTables } from "./inbound-schema.ts";
import type { MenderTables } from "./mender-schema.ts";
import type { NotificationTables } from "./notification-schema.ts";
import type { OAuthTables } from "./oauth-schema.ts";
import type { OrgTables } from "./org-schema.ts";
import type { ScimTables } from "./scim-schema.ts";
import type { SignInTables } from "./sign-in-schema.ts";
import type { TestRunTables } from "./test-run-schema.ts";
import type { TokenTables } from "./token-schema.ts";

export type { Role } from "./org-schema.ts";

/** Row shapes of every table, as the migrations make them. Times are integer milliseconds UTC, flags 0 or 1. */
export interface Database
  extends TestRunTables,
    NotificationTables,
    CheckTables,
    AlertTables,
    ChatTables,
    GridTables,
    GateTables,
    InboundTables,
    MenderTables,
    SignInTables,
    TokenTables,
    OrgTables,
    OAuthTables,
    ScimTables {
  users: {
    id: string;
    email: string;
    name: string;
    password_hash: string | null;
    /** Where signing in leads a user who is in several orgs. */
    default_org_id: Defaulted<string | null>;
    /** When the account's holder has shown to get mail at this address. */
    email_confirmed_at: Defaulted<number | null>;
    created_at: number;
  };
  secrets: {
    org_id: string;
    name: string;
    /** As the vault sealed it. */
    sealed: Uint8Array;
    /** JSON array of origins; null for a secret that may go anywhere. */
    origins: string | null;
    created_at: number;
    updated_at: number;
  };
  signin_codes: {
    hash: string;
    user_id: string;
    org_id: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
  audit_events: {
    seq: Generated<number>;
    org_id: string;
    at: number;
    actor_type: string;
    actor_id: string;
    action: string;
    target: string;
    ip: string | null;
    /** JSON object. */
    detail: string;
    prev_hash: string;
    hash: string;
  };
  scenarios: {
    id: string;
    org_id: string;
    slug: string;
    title: string;
    created_at: number;
    updated_at: number;
    /** Relative to the folder that was synced; null for a scenario that only traces name, as are the next two. */
    path: Defaulted<string | null>;
    source: Defaulted<string | null>;
    /** JSON: `CompiledScenario`. */
    compiled: Defaulted<string | null>;
    /** Whether its file was gone at the last sync. */
    missing: Defaulted<number>;
    synced_at: Defaulted<number | null>;
  };
  runs: RunsTable;
  /** What runs of checks are made from: JSON, `RunPlan`. */
  run_plans: { hash: string; plan: string; used_at: number };
  /** What runs of a scenario used: paths of scripts and style sheets. */
  scenario_coverage: { scenario_id: string; path: string; updated_at: number };
  scenario_recordings: { scenario_id: string; name: string; hash: string; har: Uint8Array };
  shadow_diffs: {
    run_id: string;
    production_run_id: string;
    repeated_run_id: string;
    /** JSON: `ShadowDiffResult`; null until the three runs have ended. */
    result: string | null;
  };
  run_logs: {
    run_id: string;
    seq: number;
    ts: number;
    level: "info" | "warn" | "error";
    message: string;
    step_id: string | null;
  };
  /** What passes saw of the elements of a scenario; `fingerprint` is a JSON `Fingerprint`. */
  fingerprints: { scenario_id: string; element: string; fingerprint: string; seen_at: number };
  replays: {
    id: string;
    org_id: string;
    /** The source. */
    trace_id: string;
    replay_trace_id: Defaulted<string | null>;
    status: ReplayState;
    from_step: number;
    triggered_via: string;
    /** JSON: `ReplayPlan`. */
    plan: string;
    has_edits: number;
    created_at: number;
    started_at: Defaulted<number | null>;
    ended_at: Defaulted<number | null>;
    error_reason: Defaulted<string | null>;
    error_message: Defaulted<string | null>;
    /** JSON: `ReplayVerdict`, while its trace has not got its last word. */
    verdict: Defaulted<string | null>;
    /** JSON: `CaughtUp`. */
    caught_up: Defaulted<string | null>;
    /** The server that carries it out. */
    server_id: Defaulted<string | null>;
  };
  traces: TracesTable;
  /** Why traces failed. */
  causes: {
    trace_id: string;
    /** Number of the engine that made it. */
    engine: number;
    /** The newest pass that it was compared with. */
    baseline_id: string | null;
    headline: string | null;
    /** JSON: `FoundCause`. */
    cause: string;
    made_at: number;
  };
  /** Kept by triggers. */
  trace_counts: {
    org_id: string;
    kind: "facet" | "scenario" | "signature";
    value: string;
    count: number;
  };
  /** Kept by triggers. */
  alike_traces: {
    org_id: string;
    scenario_id: string;
    facet: number;
    /** Empty without a failure. */
    signature: string;
    count: number;
  };
  saved_searches: {
    id: string;
    org_id: string;
    name: string;
    query: string;
    position: number;
    created_at: number;
    updated_at: number;
  };
  /** Kept by triggers. */
  storage_totals: {
    org_id: string;
    kind: "tier" | "scenario" | "day" | "artifact" | "blobs";
    value: string;
    bytes: number;
    count: number;
  };
  /** Kept by triggers: what ages, by the hour (since 1970) from which its age counts. */
  ageing_totals: {
    org_id: string;
    kind: "hot" | "warm" | "clock" | "cold";
    hour: number;
    bytes: number;
    count: number;
  };
  /** Kept by triggers: failures by the blocks of time of their traces, counted since 1970 in their own width; `source` is empty without one. */
  failure_blocks: {
    org_id: string;
    minutes: number;
    block: number;
    signature: string;
    scenario_id: string;
    source: string;
    count: number;
    /** Of the newest. */
    last_ord: number;
  };
  artifacts: {
    trace_id: string;
    kind: string;
    path: string;
    size: number;
    media_type: string;
    sha256: string;
    pack_offset: number | null;
    pack_stored_size: number | null;
    pack_method: number | null;
  };
  blob_locations: {
    hash: string;
    container: string;
    suffix: Defaulted<string>;
    offset: Defaulted<number>;
    stored_size: number;
    size: number;
    method: Defaulted<number>;
    created_at: number;
  };
  trace_blobs: { trace_id: string; hash: string; media_type: string | null };
  /** Kept by triggers: traces whose record.json is behind. */
  trace_records_due: { trace_id: string; changes: Generated<number> };
  orphan_blobs: { hash: string; since: number };
  leaving_blobs: { hash: string; suffix: string };
  trace_chunks: { trace_id: string; n: number; sha256: string };
  share_views: {
    id: string;
    trace_id: string;
    at: number;
    ip: string | null;
    user_agent: string | null;
    is_embedded: number;
    times: Defaulted<number>;
  };
  share_totals: { trace_id: string; views: number; last_at: number };
  idempotency_keys: {
    org_id: string;
    key: string;
    request_hash: string;
    response: string;
    created_at: number;
  };
  jobs: {
    id: string;
    kind: string;
    dedupe_key: string | null;
    /** JSON object. */
    payload: string;
    state: JobState;
    attempts: Defaulted<number>;
    max_attempts: Defaulted<number>;
    visible_at: number;
    lease_token: string | null;
    /** Id of the server that holds the lease, or held the last one. */
    lease_server: Defaulted<string | null>;
    last_error: string | null;
    created_at: number;
    finished_at: number | null;
    /** When the period of a periodic job began; null for other jobs. */
    period_at: Defaulted<number | null>;
    /** What it waits for, when only a few at once may wait for that. */
    lane: Defaulted<string | null>;
    /** How often the process died while it worked on this; one that is at work counts, until it ends. */
    deaths: Defaulted<number>;
  };
}

export type JobState = "queued" | "running" | "done" | "dead";
export type TraceStatus = "queued" | "running" | "passed" | "failed" | "error" | "aborted";
export type TraceTier = "hot" | "warm" | "cold";
export type TraceSource = "pr" | "schedule" | "manual" | "shadow_diff";
export type ShareVisibility = "org-only" | "public-read";

export type ReplayState = "queued" | "running" | "succeeded" | "failed";
export type RunType = "pr" | "schedule" | "manual" | "shadow_diff";

interface RunsTable {
  id: string;
  org_id: string;
  type: RunType;
  status: TraceStatus;
  scenario_id: string;
  scenario_slug: string;
  region: string;
  base_url: string | null;
  trace_id: Defaulted<string | null>;
  /** `api`, `cli`, `schedule`, … */
  trigger: string;
  attempt: Defaulted<number>;
  parent_run_id: Defaulted<string | null>;
  /** JSON object. */
  pr: Defaulted<string | null>;
  /** JSON array of slugs. */
  affected_scenarios: Defaulted<string | null>;
  /** JSON: `RunPlan`; of a run of a check `@` and the hash of one in `run_plans`. */
  plan: string;
  scheduled_at: number;
  started_at: Defaulted<number | null>;
  ended_at: Defaulted<number | null>;
  duration_ms: Defaulted<number>;
  error_reason: Defaulted<string | null>;
  error_message: Defaulted<string | null>;
  /** JSON array of `Heal`. */
  heals: Defaulted<string | null>;
  /** JSON: `KeptVerdict`, while its trace has not got its last word. */
  verdict: Defaulted<string | null>;
  /** The server that carries it out, or took it in from its sender. */
  server_id: Defaulted<string | null>;
  /** The job under whose lease it is carried out; null while it is queued, and when its sender does it. */
  job_id: Defaulted<string | null>;
  /** The check whose fire it is for. */
  check_id: Defaulted<string | null>;
  /** When a run of a check got one of the places that its org has at once. */
  admitted_at: Defaulted<number | null>;
  /** JSON: `MarksSeen`, of a run that was asked what its target met. */
  marks: Defaulted<string | null>;
}

interface TracesTable {
  ord: number;
  id: string;
  org_id: string;
  short_id: string;
  scenario_id: string;
  scenario_slug: string;
  scenario_title: string;
  status: TraceStatus;
  status_reason: string | null;
  tier: TraceTier;
  pinned: Defaulted<number>;
  source: TraceSource | null;
  code_sha: string | null;
  pr_number: number | null;
  run_id: string | null;
  /** Which try of its run it is, from 1. */
  attempt: Defaulted<number | null>;
  region: string | null;
  /** JSON object. */
  env: Defaulted<string>;
  claimed_status: TraceStatus | null;
  failure_signature: string | null;
  failure_message: string | null;
  failed_step_id: string | null;
  /** Null as well in traces read before it was kept. */
  failed_step_title: string | null;
  /** SHA-256 hex of a blob, without prefix. */
  final_screenshot: string | null;
  duration_ms: Defaulted<number>;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  aged_from: number;
  /** Whether a run by the clock made it: it goes with its run. */
  by_clock: Defaulted<number>;
  /** Whether code of strangers (a fork's) made it: nothing is compared with it. */
  by_strangers: Defaulted<number>;
  /** Whether it is pinned because it failed, and nobody pinned it. */
  auto_pinned: Defaulted<number>;
  total_size_bytes: Defaulted<number>;
  blob_count: Defaulted<number>;
  event_count: Defaulted<number>;
  error_count: Defaulted<number>;
  /** JSON array of sentences. */
  warnings: Defaulted<string>;
  parent_trace_id: string | null;
  replay_from_step: number | null;
  share_visibility: ShareVisibility | null;
  share_expires_at: number | null;
  restore_error: string | null;
  restoring: Defaulted<number>;
  next_chunk: Defaulted<number>;
  last_seq: number | null;
  last_chunk_at: number | null;
  /** Computed: status, source, tier and pin in one number (`trace-facets.ts`). */
  facet: GeneratedAlways<number>;
  /** Computed: the words of the full-text index that stand for the list's filters. */
  tags: GeneratedAlways<string>;
  /** Computed: more of them. */
  more_tags: GeneratedAlways<string>;
  /** 1 when titles of steps and kinds of events are in the full-text index. */
  search_version: Defaulted<number>;
}
