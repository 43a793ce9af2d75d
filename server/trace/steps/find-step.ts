import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents, orDamaged } from "../events/source.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import type { StepSummary, Summary } from "../format/summary.ts";

/** A step of a trace; `index` 0 where the summary does not list it. */
export interface NamedStep {
  trace: TraceRow;
  step: Pick<StepSummary, "step_id" | "index" | "title" | "seq" | "ts" | "duration_ms" | "status" | "error">;
  summary: Summary | null;
}

const STEPS_BEFORE = 4;
const STEPS_AFTER = 2;

/**
 * A step by its id or number.
 * @param named null for the failed step
 * @throws AppError `not_hot`, `unavailable`
 */
export async function findStep(deps: Deps, trace: TraceRow, named: string | null): Promise<NamedStep | null> {
  return whereItLies(deps, trace, async (now) => {
    const summary = await storedSummary(deps, now);
    const id = named ?? summary?.failure?.step_id ?? now.failed_step_id;
    if (id === null) return null;
    const known =
      summary?.steps.find(({ step_id }) => step_id === id) ??
      summary?.steps.find(({ index }) => String(index) === id);
    const step = known ?? (await stepFromEvents(deps, now, id));
    return step && { trace: now, step: withFailure(step, summary), summary };
  });
}

/** Of traces that have not ended, and steps beyond those that a summary lists. */
async function stepFromEvents(deps: Deps, trace: TraceRow, id: string): Promise<NamedStep["step"] | null> {
  const file = await openEvents(deps, trace);
  const query = { step: id, kinds: ["agent.action", "assertion"], offset: 0, limit: 1 };
  const [line] = (file && (await orDamaged(deps, file.query(query))))?.lines ?? [];
  if (!line) return null;
  const event = readEvent(line);
  const error = errorOf(event);
  return {
    step_id: id,
    index: 0,
    title: textOf(event.title) ?? textOf(event.name) ?? textOf(event.message) ?? event.kind,
    seq: event.seq,
    ts: event.ts,
    duration_ms: typeof event.duration_ms === "number" ? event.duration_ms : 0,
    status: error === null && event.ok !== false ? "passed" : "failed",
    ...(error === null ? {} : { error }),
  };
}

/** A summary says more of the failure than of a step. */
function withFailure(step: NamedStep["step"], summary: Summary | null): NamedStep["step"] {
  const failure = summary?.failure;
  return failure?.step_id === step.step_id && failure.message ? { ...step, error: failure.message } : step;
}

function errorOf(event: TraceEvent): string | null {
  const { error } = event;
  return typeof error === "object" && error !== null
    ? textOf((error as { message?: unknown }).message)
    : textOf(error);
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** What was done right before and after a step. */
export function stepsAround(summary: Summary | null, { step_id: id }: NamedStep["step"]) {
  const steps = summary?.steps ?? [];
  const at = steps.findIndex(({ step_id }) => step_id === id);
  if (at < 0) return { before: [], after: [] };
  return {
    before: steps.slice(Math.max(0, at - STEPS_BEFORE), at),
    after: steps.slice(at + 1, at + 1 + STEPS_AFTER),
  };
}
