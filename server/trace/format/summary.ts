import type { TraceStatus } from "../../../store/records/schema.ts";
import type { StackFrame } from "./event.ts";

/**
 * What post-processing leaves beside the events (`summary.json`): everything the first screen of the viewer, the list
 * and the report need, bounded in size whatever the size of the trace.
 */
export interface Summary {
  version: 1;
  status: TraceStatus;
  title: string;
  scenario_slug: string;
  /** ISO 8601; null when the trace has no events and its manifest gives none. */
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number;
  event_count: number;
  error_count: number;
  /** Answers that were no success, and requests that got none. Summaries of older versions have none. */
  bad_requests?: number;
  first_seq: number | null;
  last_seq: number | null;
  /** Epoch ms of the earliest and latest event: the ends of the timeline. */
  first_ts: number | null;
  last_ts: number | null;
  /** Events per kind. */
  counts: Record<string, number>;
  failure: Failure | null;
  failure_signature: string | null;
  /** What happened, in one paragraph of plain text; null without a failure. Summaries of older versions have none. */
  narrative: string | null;
  /** The one nearest before the failure; the first of the trace when nothing failed or none came before. */
  first_bad_request: {
    seq: number;
    ts: number;
    step_id: string | null;
    method: string;
    url: string;
    status: number;
    error?: string;
  } | null;
  /** Chosen as `first_bad_request` is; the page's own words before the browser's lines for bad responses. */
  first_console_error: { seq: number; ts: number; step_id: string | null; text: string } | null;
  /** At most `MAX_SUMMARY_STEPS`, in order of first appearance; the failed step and its ancestors are always among them. */
  steps: StepSummary[];
  /** Steps in the whole trace. */
  step_count: number;
  /** At most `MAX_FILMSTRIP` screenshots, evenly spread in time, first and last included. */
  filmstrip: Shot[];
  /** Per lane, how many events fall into each of `LANE_BUCKETS` equal slices of first_ts … last_ts. */
  lanes: Record<Lane, number[]>;
  /** `sha256:<hex>` of the last picture of the page. */
  final_screenshot: string | null;
  redaction_count: number;
  environment: Record<string, string>;
  warnings: string[];
}

export const MAX_SUMMARY_STEPS = 1000;
export const MAX_FILMSTRIP = 100;
export const LANE_BUCKETS = 240;

export const LANES = [
  "actions",
  "thoughts",
  "network",
  "console",
  "errors",
  "clone",
  "clock",
  "injections",
  "assertions",
  "dom",
] as const;
export type Lane = (typeof LANES)[number];

export interface Failure {
  step_id: string | null;
  /** Of the event that says so; null when only the runner's verdict does. */
  seq: number | null;
  ts: number | null;
  kind: string;
  title: string;
  /** Plain text without terminal colours. */
  message: string;
  expected?: string;
  received?: string;
  stack?: StackFrame[];
  /** The page as it was then. */
  screenshot: Shot | null;
  /** The page's last recorded state before it, where it was recorded; absent from summaries of older versions. */
  page?: PageState | null;
}

/** The state of a page that was recorded as a document. */
export interface PageState {
  ts: number;
  url: string;
  page?: string;
}

export interface Shot {
  seq: number;
  ts: number;
  /** `sha256:<hex>` */
  blob: string;
  width: number;
  height: number;
  page?: string;
}

export interface StepSummary {
  step_id: string;
  parent_step_id: string | null;
  /** 1-based, in order of first appearance. */
  index: number;
  title: string;
  kind: string;
  /** Sequence number of the step's first event. */
  seq: number;
  ts: number;
  duration_ms: number;
  status: "passed" | "failed";
  error?: string;
  /** Console errors and bad responses that fall into the step. */
  console_errors: number;
  bad_requests: number;
}
