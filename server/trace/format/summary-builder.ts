import type { TraceStatus } from "../../../store/records/schema.ts";
import { toIso } from "../../platform/clock.ts";
import { cut, headline, plainText } from "./error-text.ts";
import { isErrorEvent, numberIn, type TraceEvent } from "./event.ts";
import { narrate } from "./narrative.ts";
import { createOpenRequests } from "./open-requests.ts";
import { failureSignature } from "./signature.ts";
import type { Failure, PageState, Shot, Summary } from "./summary.ts";
import {
  type BadRequest,
  type ConsoleError,
  createFailures,
  type FailureChoice,
  type Interference,
  NOTHING_NEAR,
  type RunnerError,
} from "./summary-failures.ts";
import { createStepList } from "./summary-steps.ts";
import { createFilmstrip, createHistogram } from "./summary-timeline.ts";
import { endBeforeStart } from "./words.ts";

const MAX_URL = 2_048;
const MAX_KINDS = 200;
const MAX_WARNINGS = 100;
const MAX_ENVIRONMENT = 60;

/** What is known of a trace besides its events. */
export interface SummaryMeta {
  title: string;
  scenarioSlug: string;
  /** What the uploader or the runner said the outcome was; null leaves it to the events. */
  claimedStatus: TraceStatus | null;
  /** Why, where the uploader or the server says so. */
  statusReason?: string | null;
  /** Errors the runner itself recorded, the decisive one first; without them the events tell. */
  runnerErrors?: RunnerError[];
  /** Epoch ms. */
  startedAt: number | null;
  endedAt: number | null;
  environment: Record<string, unknown>;
  warnings: string[];
  redactionCount: number;
  /** SHA-256 hex of a final screenshot that was uploaded as such. */
  finalScreenshot: string | null;
}

export interface SummaryBuilder {
  add(event: TraceEvent): void;
  /** The last word on what only the end of reading tells is given here. */
  finish(late?: Partial<SummaryMeta>): Summary;
}

/** Folds the events of a trace into its summary: one pass, memory bounded whatever the size of the trace. */
export function createSummaryBuilder(meta: SummaryMeta): SummaryBuilder {
  const counts = new Map<string, number>();
  const steps = createStepList();
  const failures = createFailures();
  const histogram = createHistogram();
  const filmstrip = createFilmstrip();
  const requests = createOpenRequests(failures.addPending);
  let [eventCount, errorCount, badCount] = [0, 0, 0];
  let firstSeq: number | null = null;
  let lastSeq: number | null = null;
  let firstTs: number | null = null;
  let lastTs: number | null = null;
  let firstBad: BadRequest | null = null;
  let firstConsoleError: ConsoleError | null = null;

  function add(event: TraceEvent) {
    const isError = isErrorEvent(event);
    eventCount += 1;
    if (isError) errorCount += 1;
    if (counts.has(event.kind) || counts.size < MAX_KINDS)
      counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
    firstSeq ??= event.seq;
    lastSeq = event.seq;
    firstTs = Math.min(firstTs ?? event.ts, event.ts);
    lastTs = Math.max(lastTs ?? event.ts, event.ts);
    histogram.add(event, isError);
    steps.add(event, isError);
    addByKind(event, isError);
  }

  function addByKind(event: TraceEvent, isError: boolean) {
    const { kind } = event;
    if (kind === "screenshot") {
      const shot = shotOf(event);
      if (!shot) return;
      filmstrip.add(shot);
      failures.addShot(shot);
    } else if (kind === "dom.snapshot") {
      const state = pageStateOf(event);
      if (state) failures.addPage(state);
    } else if (kind === "network.request") {
      requests.begin(event);
    } else if (kind === "network.response") {
      if (isError) addBadRequest(event);
      requests.end(event);
    } else if (kind === "console.error") addConsoleError(event);
    else if (kind.endsWith("_injection")) failures.addInterference("injection", interferenceOf(event));
    else if (kind === "clock.advance") failures.addInterference("clockMove", interferenceOf(event));
    else if (isError && (kind === "assertion" || kind === "agent.action")) {
      failures.advance(event.ts - 60_000);
      failures.add(event);
      steps.pin(event.step_id);
    }
  }

  function addBadRequest(event: TraceEvent) {
    badCount += 1;
    const bad: BadRequest = {
      seq: event.seq,
      ts: event.ts,
      step_id: stepIdOf(event),
      method: typeof event.method === "string" ? cut(event.method, 32) : (requests.methodOf(event) ?? "GET"),
      url: typeof event.url === "string" ? cut(plainText(event.url, MAX_URL), MAX_URL) : "",
      status: Number.isFinite(event.status) ? Number(event.status) : 0,
      ...(typeof event.error === "string" && { error: headline(plainText(event.error, 1_000)) }),
    };
    firstBad ??= bad;
    failures.addBadRequest(bad);
  }

  function addConsoleError(event: TraceEvent) {
    // What the runner says is the failure itself, not something beside it.
    if (event.source === "runner") return failures.addRunnerError(event);
    const error = consoleErrorOf(event);
    firstConsoleError ??= error;
    failures.addConsoleError(error);
  }

  function finish(late: Partial<SummaryMeta> = {}): Summary {
    const known = { ...meta, ...late };
    const found = failures.choose(known.runnerErrors);
    const status = finalStatus(known.claimedStatus, found !== null);
    const chosen = failureOf(status, found, known.statusReason ?? null, failures.latestShot());
    const startedAt = known.startedAt ?? firstTs;
    const endedAt = known.endedAt ?? lastTs;
    const { steps: list, count } = steps.finish(chosen?.failure.step_id ?? null);
    const disorder = endBeforeStart(startedAt, endedAt);
    const isNews = disorder !== null && !known.warnings.includes(disorder);
    const warnings = isNews ? [disorder, ...known.warnings] : known.warnings;
    const lastShot = filmstrip.last()?.blob ?? null;
    return {
      version: 1,
      status,
      title: headline(plainText(known.title, 2_000), 500),
      scenario_slug: known.scenarioSlug,
      started_at: isoOf(startedAt),
      ended_at: isoOf(endedAt),
      duration_ms: startedAt === null || endedAt === null ? 0 : Math.max(0, Math.round(endedAt - startedAt)),
      event_count: eventCount,
      error_count: errorCount,
      bad_requests: badCount,
      first_seq: firstSeq,
      last_seq: lastSeq,
      first_ts: firstTs,
      last_ts: lastTs,
      counts: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
      failure: chosen?.failure ?? null,
      failure_signature: chosen ? failureSignature(chosen.failure) : null,
      narrative: chosen && narrate({ ...chosen, steps: list, firstTs }),
      first_bad_request: chosen?.near.badRequest ?? firstBad,
      first_console_error: chosen?.near.consoleError ?? firstConsoleError,
      steps: list,
      step_count: count,
      filmstrip: filmstrip.finish(),
      lanes: histogram.finish(firstTs, lastTs),
      final_screenshot: known.finalScreenshot === null ? lastShot : `sha256:${known.finalScreenshot}`,
      redaction_count: known.redactionCount,
      environment: boundedEnvironment(known.environment),
      warnings: warnings.slice(0, MAX_WARNINGS).map((warning) => cut(plainText(warning, 2_000), 1_000)),
    };
  }

  return { add, finish };
}

function finalStatus(claimed: TraceStatus | null, hasFailed: boolean): TraceStatus {
  if (claimed && claimed !== "queued" && claimed !== "running") return claimed;
  return hasFailed ? "failed" : "passed";
}

/** A passed run has no failure, even when a step in it failed and was caught; a failed one always has. */
function failureOf(
  status: TraceStatus,
  found: FailureChoice | null,
  reason: string | null,
  shot: Shot | null,
): FailureChoice | null {
  if (status === "passed") return null;
  if (found || status === "aborted") return found;
  const message = plainText(reason ?? `The run ended as "${status}"; no recorded event says why.`);
  const failure: Failure = {
    step_id: null,
    seq: null,
    ts: null,
    kind: "verdict",
    title: headline(message),
    message,
    screenshot: shot,
  };
  return { failure, near: NOTHING_NEAR };
}

function shotOf(event: TraceEvent): Shot | null {
  if (typeof event.blob !== "string" || !/^sha256:[0-9a-f]{64}$/.test(event.blob)) return null;
  return {
    seq: event.seq,
    ts: event.ts,
    blob: event.blob,
    width: numberIn(event.width) || 0,
    height: numberIn(event.height) || 0,
    ...(typeof event.page === "string" && { page: cut(event.page, 200) }),
  };
}

/** The state of a page's main document; null where a frame's is recorded, or none. */
function pageStateOf(event: TraceEvent): PageState | null {
  const isMain = event.is_main_frame === true || typeof event.html === "string";
  if (!isMain || typeof event.url !== "string") return null;
  return {
    ts: event.ts,
    url: cut(event.url, MAX_URL),
    ...(typeof event.page === "string" && { page: cut(event.page, 200) }),
  };
}

function consoleErrorOf(event: TraceEvent): ConsoleError {
  const text = typeof event.text === "string" ? plainText(event.text, 4_096) : "";
  return { seq: event.seq, ts: event.ts, step_id: stepIdOf(event), text };
}

/** `error_injection { url, status }`, `latency_injection { url, ms }`, `clock.advance { by_ms }`. */
function interferenceOf(event: TraceEvent): Interference {
  const value = event.by_ms ?? event.ms ?? event.status;
  return {
    ts: event.ts,
    kind: event.kind,
    url: typeof event.url === "string" ? cut(event.url, MAX_URL) : null,
    value: typeof value === "number" && Number.isFinite(value) ? value : null,
  };
}

function stepIdOf(event: TraceEvent): string | null {
  return typeof event.step_id === "string" && event.step_id !== "" ? event.step_id : null;
}

/** ISO 8601, or null for what no calendar can show (ECMA-262 ends at 8.64e15 ms). */
function isoOf(ms: number | null): string | null {
  return ms === null || Math.abs(ms) > 8.64e15 ? null : toIso(Math.round(ms));
}

function boundedEnvironment(environment: Record<string, unknown>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(environment).slice(0, MAX_ENVIRONMENT)) {
    if (value === null || value === undefined) continue;
    out[cut(key, 100)] = cut(
      plainText(typeof value === "string" ? value : JSON.stringify(value), 2_000),
      500,
    );
  }
  return out;
}
