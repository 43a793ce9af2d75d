import { isErrorEvent, type TraceEvent } from "../../../server/trace/format/event.ts";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { messageOf, titleOf } from "../../../server/trace/format/summary-steps.ts";
import type { TraceSource } from "../../api.ts";
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

/** The steps of the events themselves: of a running trace, or of one with more steps than its summary holds. */
export function createStepRows(source: TraceSource): Rows<StepSummary> {
  const byId = new Map<string, StepSummary>();
  const table = createTable<StepSummary>(
    {
      step_id: "id",
      parent_step_id: "text",
      index: "count",
      title: "text",
      kind: "word",
      seq: "count",
      ts: "number",
      duration_ms: "real",
      status: "word",
      error: "text",
      console_errors: "count",
      bad_requests: "count",
    },
    ["error"],
  );
  return createRows(
    source,
    "agent.action,assertion",
    (kind) => kind === "agent.action" || kind === "assertion",
    {
      add(event) {
        const id = event.step_id ?? `seq-${event.seq}`;
        const known = byId.get(id);
        const step = toStep(event, id, known?.index ?? table.length + 1);
        if (!known) {
          byId.set(id, table.add(step));
          return;
        }
        if (step.status === "failed") Object.assign(known, { status: step.status, error: step.error });
        known.duration_ms = Math.max(known.duration_ms, event.ts + step.duration_ms - known.ts);
      },
      snapshot: table.list,
    },
  );
}

/** A row of the step list: a step, how deep it lies, and what is below it. */
export interface StepNode {
  step: StepSummary;
  depth: number;
  childCount: number;
  isCollapsed: boolean;
}

const MAX_DEPTH = 40;

/** The steps below their parents, in order of appearance, without what lies below collapsed ones. */
export function toTree(
  steps: readonly StepSummary[],
  collapsed: ReadonlySet<string>,
  isMatch: ((step: StepSummary) => boolean) | null,
): StepNode[] {
  const parents = parentsOf(steps);
  const children = new Map<string | null, StepSummary[]>();
  for (const step of steps) {
    const key = parents.get(step.step_id) ?? null;
    const siblings = children.get(key);
    if (siblings) siblings.push(step);
    else children.set(key, [step]);
  }
  const wanted = isMatch ? withAncestors(steps, isMatch) : null;
  const nodes: StepNode[] = [];
  const seen = new Set<string>();
  const stack: { step: StepSummary; depth: number }[] = [];
  const push = (list: readonly StepSummary[], depth: number): void => {
    for (let at = list.length - 1; at >= 0; at -= 1) {
      const step = list[at];
      if (step) stack.push({ step, depth });
    }
  };
  push(children.get(null) ?? [], 0);
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { step, depth } = top;
    if (seen.has(step.step_id) || (wanted && !wanted.has(step.step_id))) continue;
    seen.add(step.step_id);
    const below = children.get(step.step_id) ?? [];
    const isCollapsed = !wanted && collapsed.has(step.step_id);
    nodes.push({ step, depth: Math.min(depth, MAX_DEPTH), childCount: below.length, isCollapsed });
    if (!isCollapsed) push(below, depth + 1);
  }
  return nodes;
}

/** The parent of each step; null where none is known, and where following parents would lead back to the step. */
function parentsOf(steps: readonly StepSummary[]): Map<string, string | null> {
  const named = new Map(steps.map((step) => [step.step_id, step.parent_step_id]));
  const parents = new Map<string, string | null>();
  for (const { step_id: start } of steps) {
    const path = new Set<string>();
    let id = start;
    while (!parents.has(id)) {
      path.add(id);
      const parent = named.get(id) ?? null;
      const isEnd = parent === null || !named.has(parent) || path.has(parent);
      parents.set(id, isEnd ? null : parent);
      if (isEnd) break;
      id = parent;
    }
  }
  return parents;
}

function withAncestors(steps: readonly StepSummary[], isMatch: (step: StepSummary) => boolean): Set<string> {
  const byId = new Map(steps.map((step) => [step.step_id, step]));
  const wanted = new Set<string>();
  for (const step of steps) {
    if (!isMatch(step)) continue;
    let at: StepSummary | undefined = step;
    while (at && !wanted.has(at.step_id)) {
      wanted.add(at.step_id);
      at = at.parent_step_id ? byId.get(at.parent_step_id) : undefined;
    }
  }
  return wanted;
}

/** The innermost step that was under way at a moment, else the last one that had begun. */
export function stepAt(steps: readonly StepSummary[], ts: number): StepSummary | null {
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
