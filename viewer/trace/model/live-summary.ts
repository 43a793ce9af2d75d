import { isErrorEvent, numberIn, type TraceEvent, textIn } from "../../../server/trace/format/event.ts";
import type { StepSummary, Summary } from "../../../server/trace/format/summary.ts";
import { createFailures } from "../../../server/trace/format/summary-failures.ts";
import { createStepList } from "../../../server/trace/format/summary-steps.ts";
import { createFilmstrip, createHistogram } from "../../../server/trace/format/summary-timeline.ts";
import type { TraceDetail } from "../../api/answers.ts";
import { blobHash } from "../../api/trace-source.ts";
import { hasTold } from "./steps.ts";

/** The summary of a trace that still runs, from the events seen so far, folded the way the server does it at the end. */
export function createLiveSummary(detail: TraceDetail) {
  const counts: Record<string, number> = {};
  const steps = createStepList();
  const failures = createFailures();
  const histogram = createHistogram();
  const filmstrip = createFilmstrip();
  let eventCount = 0;
  let errorCount = 0;
  let badCount = 0;
  let first: TraceEvent | null = null;
  let last: TraceEvent | null = null;
  let firstTs = 0;
  let lastTs = 0;
  let badRequest: Summary["first_bad_request"] = null;
  let consoleError: Summary["first_console_error"] = null;
  let texts: ReadonlyMap<string, string> = new Map();

  const stepOf = (event: TraceEvent): string | null => event.step_id ?? null;

  function addShot(event: TraceEvent): void {
    const { blob, width, height, page } = event;
    if (typeof blob !== "string" || !blobHash(blob)) return;
    const shot = {
      seq: event.seq,
      ts: event.ts,
      blob,
      width: numberIn(width) || 0,
      height: numberIn(height) || 0,
      ...(typeof page === "string" && { page }),
    };
    filmstrip.add(shot);
    failures.addShot(shot);
  }

  function addError(event: TraceEvent): void {
    errorCount += 1;
    if (event.kind === "console.error") {
      consoleError ??= {
        seq: event.seq,
        ts: event.ts,
        step_id: stepOf(event),
        text: textIn(event.text),
      };
    } else if (event.kind === "network.response") {
      badCount += 1;
      badRequest ??= {
        seq: event.seq,
        ts: event.ts,
        step_id: stepOf(event),
        method: textIn(event.method, "GET"),
        url: textIn(event.url),
        status: numberIn(event.status) || 0,
      };
    } else failures.add(event);
  }

  function add(event: TraceEvent): void {
    const isError = isErrorEvent(event);
    counts[event.kind] = (counts[event.kind] ?? 0) + 1;
    eventCount += 1;
    firstTs = first ? Math.min(firstTs, event.ts) : event.ts;
    lastTs = first ? Math.max(lastTs, event.ts) : event.ts;
    first ??= event;
    last = event;
    histogram.add(event);
    steps.add(event, isError);
    if (event.kind === "screenshot") addShot(event);
    if (isError) addError(event);
  }

  /** A step tells what it is called when it ends; until then its run knows. */
  function withText(step: StepSummary): StepSummary {
    const text = hasTold(step) ? null : texts.get(step.step_id);
    return text ? { ...step, title: text } : step;
  }

  function summary(): Summary {
    const failure = failures.choose([])?.failure ?? null;
    const { steps: list, count } = steps.finish(failure?.step_id ?? null);
    return {
      version: 1,
      status: "running",
      title: detail.scenario_title,
      scenario_slug: detail.scenario_slug,
      started_at: detail.started_at ?? null,
      ended_at: null,
      duration_ms: first ? lastTs - firstTs : 0,
      event_count: eventCount,
      error_count: errorCount,
      bad_requests: badCount,
      first_seq: first?.seq ?? null,
      last_seq: last?.seq ?? null,
      first_ts: first ? firstTs : null,
      last_ts: first ? lastTs : null,
      counts: { ...counts },
      failure,
      failure_signature: null,
      narrative: null,
      first_bad_request: badRequest,
      first_console_error: consoleError,
      steps: list.map(withText),
      step_count: count,
      filmstrip: filmstrip.finish(),
      lanes: histogram.finish(first ? firstTs : null, first ? lastTs : null),
      final_screenshot: filmstrip.last()?.blob ?? null,
      redaction_count: 0,
      environment: {},
      warnings: [],
    };
  }

  return {
    add,
    summary,
    /** Takes how the steps are written, for those that have not told it themselves yet. */
    takeTexts(known: ReadonlyMap<string, string>): void {
      texts = known;
    },
  };
}
