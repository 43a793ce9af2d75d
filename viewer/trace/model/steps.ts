import { isErrorEvent, type TraceEvent } from "../../../server/trace/format/event.ts";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { messageOf, titleOf } from "../../../server/trace/format/summary-steps.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { createIdIndex } from "./id-index.ts";
import type { RowList } from "./row-list.ts";
import { createRows, type Rows } from "./rows.ts";
import { createTable } from "./table.ts";

const MAX_ERROR = 400;

/** A step from the event that tells of it, the way the summary's steps are made. */
function toStep(event: TraceEvent, stepId: string, index: number): StepSummary {
  const isFailed = isErrorEvent(event);
  return {
    step_id: stepId,
    parent_step_id: typeof event.parent_step_id === "string" ? event.parent_step_id : null,
    index,
    title: titleOf(event),
    kind: event.kind,
    seq: event.seq,
    ts: event.ts,
    duration_ms: typeof event.duration_ms === "number" ? event.duration_ms : 0,
    status: isFailed ? "failed" : "passed",
    ...(isFailed ? { error: messageOf(event).slice(0, MAX_ERROR) } : {}),
    console_errors: 0,
    bad_requests: 0,
  };
}

/** Whether a step has told of itself, which it does when it ends; until then it is known from what happened within it. */
export const hasTold = ({ kind }: StepSummary): boolean => kind === "agent.action" || kind === "assertion";

/** Steps, and each by its id. */
export interface Steps extends RowList<StepSummary> {
  byId(id: string): StepSummary | undefined;
}

/** Steps that are there as they are. */
export function stepsOf(list: readonly StepSummary[]): Steps {
  const places = new Map(list.map((step, place) => [step.step_id, place]));
  return {
    length: list.length,
    at: (index) => list.at(index),
    byId: (id) => list[places.get(id) ?? -1],
    [Symbol.iterator]: () => list.values(),
  };
}

/** The steps of the events themselves: of a running trace, or of one with more steps than its summary holds. */
export function createStepRows(source: TraceSource): Rows<StepSummary, Steps> {
  const table = createTable<StepSummary>(
    {
      step_id: "text",
      parent_step_id: "text",
      index: "near",
      title: "text",
      kind: "word",
      seq: "near",
      ts: "near",
      duration_ms: "real",
      status: "word",
      error: "text",
      console_errors: "number",
      bad_requests: "number",
    },
    ["error"],
  );
  const ids = createIdIndex((place) => table.row(place).step_id);
  return createRows<StepSummary, Steps>(
    source,
    "agent.action,assertion",
    (kind) => kind === "agent.action" || kind === "assertion",
    {
      add(event) {
        const id = event.step_id ?? `seq-${event.seq}`;
        const place = ids.find(id);
        if (place < 0) {
          ids.add(id, table.length);
          table.add(toStep(event, id, table.length + 1));
          return;
        }
        const known = table.row(place);
        const step = toStep(event, id, known.index);
        if (step.status === "failed") Object.assign(known, { status: step.status, error: step.error });
        known.duration_ms = Math.max(known.duration_ms, event.ts + step.duration_ms - known.ts);
      },
      snapshot() {
        const list = table.list();
        const byId = (id: string): StepSummary | undefined => {
          const place = ids.find(id);
          return place < 0 ? undefined : list.at(place);
        };
        return { length: list.length, at: list.at, byId, [Symbol.iterator]: list[Symbol.iterator] };
      },
      settle: table.trim,
    },
  );
}

/** Puts the counts that only the summary knows on the steps read from events. */
export function withBadges(steps: Steps, known: readonly StepSummary[]): Steps {
  for (const { step_id: id, console_errors: errors, bad_requests: bad } of known) {
    const same = errors + bad > 0 ? steps.byId(id) : undefined;
    if (same) Object.assign(same, { console_errors: errors, bad_requests: bad });
  }
  // A new list: what is shown of it has changed.
  return { ...steps };
}

/** The innermost step that was under way at a moment, else the last one that had begun. */
export function stepAt(steps: RowList<StepSummary>, ts: number): StepSummary | null {
  let within: StepSummary | null = null;
  let before: StepSummary | null = null;
  for (const step of steps) {
    if (step.ts > ts) continue;
    if (!before || step.ts >= before.ts) before = step;
    if (step.ts + step.duration_ms < ts) continue;
    if (!within || step.duration_ms <= within.duration_ms) within = step;
  }
  return within ?? before;
}
