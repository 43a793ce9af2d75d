import { LANES, type Lane } from "../../../server/trace/format/summary.ts";
import type { TraceModel } from "../model/model.ts";
import { isBad } from "../model/network.ts";
import type { LaneContent, Span } from "./draw.ts";

const NAMES: Record<Lane, string> = {
  actions: "Actions",
  thoughts: "Thoughts",
  network: "Network",
  console: "Console",
  errors: "Errors",
  clone: "Clones",
  clock: "Clock",
  injections: "Injections",
  assertions: "Expects",
  dom: "DOM",
};

/** On a slim screen only what explains a failure. */
const NARROW: readonly Lane[] = ["actions", "network", "errors"];

export const laneName = (lane: Lane): string => NAMES[lane];

function stepSpans(model: TraceModel, kind: string): Span[] {
  const steps = model.steps.value;
  // A group's bar would only paint over those of the steps within it.
  const groups = new Set(steps.map((step) => step.parent_step_id));
  return steps
    .filter((step) => step.kind === kind && (!groups.has(step.step_id) || step.status === "failed"))
    .map((step) => ({ ts: step.ts, end: step.ts + step.duration_ms, isBad: step.status === "failed" }));
}

function exactSpans(model: TraceModel, lane: Lane): Span[] | null {
  const summary = model.summary.value;
  if (lane === "actions" || lane === "assertions") {
    const isComplete = model.steps.value.length >= (summary?.step_count ?? 0);
    return isComplete ? stepSpans(model, lane === "actions" ? "agent.action" : "assertion") : null;
  }
  if (lane === "network") return isReady(model.network) ? networkSpans(model) : null;
  if (lane === "console") return isReady(model.console) ? consoleSpans(model) : null;
  if (lane === "errors") return errorSpans(model);
  if (!isReady(model.marks)) return null;
  return model.marks.rows.value
    .filter((mark) => mark.lane === lane)
    .map((mark) => ({ ts: mark.ts, end: mark.ts, isBad: false }));
}

const isReady = (rows: { state: { value: string } }): boolean => rows.state.value === "ready";

function networkSpans(model: TraceModel): Span[] {
  return model.network.rows.value.map((row) => ({
    ts: row.ts,
    end: row.ts + (row.durationMs ?? 0),
    isBad: isBad(row),
  }));
}

function consoleSpans(model: TraceModel): Span[] {
  return model.console.rows.value.map((row) => ({ ts: row.ts, end: row.ts, isBad: row.level === "error" }));
}

/** Where something went wrong, from the lists that know; null until all of them do. */
function errorSpans(model: TraceModel): Span[] | null {
  if (!isReady(model.network) || !isReady(model.console)) return null;
  const moments = [
    ...model.failedSteps.value.map((step) => step.ts),
    ...networkSpans(model).flatMap((span) => (span.isBad ? [span.end] : [])),
    ...consoleSpans(model).flatMap((span) => (span.isBad ? [span.ts] : [])),
  ];
  return moments.map((ts) => ({ ts, end: ts, isBad: true }));
}

/** The lanes that have anything in them, in their order. */
export function laneContents(model: TraceModel, isSlim: boolean): LaneContent[] {
  const summary = model.summary.value;
  if (!summary || summary.first_ts === null || summary.last_ts === null) return [];
  const { first_ts: first, last_ts: last } = summary;
  return LANES.flatMap((lane): LaneContent[] => {
    const buckets = summary.lanes[lane] ?? [];
    if (!buckets.some((count) => count > 0) || (isSlim && !NARROW.includes(lane))) return [];
    return [{ lane, buckets, first, last, spans: exactSpans(model, lane) }];
  });
}
