import type { TraceEvent } from "../../server/trace/format/event.ts";
import type { TestRef } from "../../server/trace/model.ts";
import type { TraceStatus } from "../../store/records/schema.ts";

export type { TraceStatus };
/** Whether nothing follows the status. */
export const hasEnded = ({ status }: { status: TraceStatus }): boolean =>
  status !== "queued" && status !== "running";

export type Tier = "hot" | "warm" | "cold";
export type Source = "pr" | "schedule" | "manual" | "shadow_diff";
export type Visibility = "org-only" | "public-read";

/** An element of `GET /v1/traces`. */
export interface TraceListItem {
  id: string;
  short_id: string;
  scenario_id: string;
  scenario_slug: string;
  scenario_title: string;
  status: TraceStatus;
  tier: Tier;
  pinned: boolean;
  duration_ms: number;
  code_sha: string | null;
  failure_signature: string | null;
  failure_message: string | null;
  /** Of its cause; answers of older servers have none. */
  headline?: string | null;
  /** The test that its scenario is; answers of older servers have none. */
  test?: TestRef | null;
  created_at: string;
  source: Source | null;
  error_count: number;
  event_count: number;
  total_size_bytes: number;
  final_screenshot: string | null;
  share_visibility: Visibility | null;
}

type ArtifactUrls = Partial<
  Record<"ndjson" | "video" | "playwright" | "rrweb" | "summary" | "report", string>
>;

/** What only members see of a trace; absent on a shared page. */
interface MemberFacts {
  parent_trace_id: string | null;
  replay_from_step: number | null;
  blob_count: number;
  pr_number: number | null;
  region: string | null;
  run_id: string | null;
  attempt: number | null;
  started_at: string | null;
  ended_at: string | null;
  warnings: string[];
  restore_error: string | null;
  restoring: boolean;
  status_reason: string | null;
  /** When the trace moves to the next tier. */
  expires_at: string | null;
  playwright_viewer_url: string;
}

/** `GET /v1/traces/{id}`, or `/r/{shortId}/trace` without what only members may see. */
export interface TraceDetail
  extends Omit<TraceListItem, "id" | "pinned" | "total_size_bytes" | "source">,
    Partial<MemberFacts>,
    Partial<Pick<TraceListItem, "id" | "pinned" | "total_size_bytes" | "source">> {
  signed_urls: ArtifactUrls;
  failed_step_id: string | null;
  share_expires_at: string | null;
  /** Of an exported file: whether recorded pages are in it. */
  has_pages?: boolean;
}

export interface TracePage {
  items: TraceListItem[];
  next_cursor: string | null;
}

export interface Facets {
  status: Partial<Record<TraceStatus, number>>;
  source: Partial<Record<Source, number>>;
  tier: Partial<Record<Tier, number>>;
  pinned: number;
  scenarios: { id: string; slug: string; title: string; count: number }[];
  signatures: { signature: string; message: string | null; count: number; last_at: string }[];
  /** Groups that count only the newest traces, because more match. */
  partial: ("status" | "source" | "tier" | "pinned" | "scenarios" | "signatures")[];
}

/** A search under a name, as it is typed into the list's field. */
export interface SavedSearch {
  id: string;
  name: string;
  query: string;
  position: number;
}

export interface EventPage {
  events: TraceEvent[];
  total: number;
  /** Of the page that follows; null at the end. A page may end before `limit`, because it has enough bytes. */
  next_offset: number | null;
}

export interface EventQuery {
  step?: string;
  kind?: string;
  q?: string;
  match?: "loose";
  from_seq?: number;
  limit?: number;
  offset?: number;
}

/** `GET …/snapshots/{name}`: a recorded page, and where it opens without its scripts. */
export interface PageSnapshot {
  name: string;
  phase: string | null;
  url: string;
  viewport: { width: number; height: number } | null;
  html_url: string;
  /** The same page with our inspector in it; null in an exported file. */
  inspect_url: string | null;
}
