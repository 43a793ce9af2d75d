import { cut, headline, plainText } from "./error-text.ts";
import type { TraceEvent } from "./event.ts";
import { MAX_SUMMARY_STEPS, type StepSummary } from "./summary.ts";

/** Steps past the summary's limit that are still remembered, for a failure may lie in any of them. */
const LATE_KEPT = 2_000;
const OPEN_KEPT = 64;
const MAX_DEPTH = 100;
const LONGEST_ID = 1_024;

interface Step extends StepSummary {
  end: number;
  hasTitle: boolean;
  /** Failed by an action only, which a later success of the same step heals. */
  isHealable: boolean;
}

/** Folds events into steps in one pass: all of the first thousand, and of later ones what a failure may need. */
export function createStepList() {
  const first = new Map<string, Step>();
  const late = new Map<string, Step>();
  const pinned = new Map<string, Step>();
  const seen = new Set<number>();
  let open: Step[] = [];

  function find(id: string): Step | undefined {
    const step = first.get(id) ?? pinned.get(id) ?? late.get(id);
    // Looked up means still of use: it moves to the young end.
    if (step && late.delete(id)) late.set(id, step);
    return step;
  }

  function begin(id: string, event: TraceEvent): Step {
    seen.add(hashOf(id));
    const step: Step = {
      step_id: id,
      parent_step_id: parentOf(event),
      index: seen.size,
      title: id,
      kind: event.kind,
      seq: event.seq,
      ts: event.ts,
      duration_ms: 0,
      status: "passed",
      console_errors: 0,
      bad_requests: 0,
      end: event.ts,
      hasTitle: false,
      isHealable: false,
    };
    if (first.size < MAX_SUMMARY_STEPS) first.set(id, step);
    else {
      late.set(id, step);
      if (late.size > LATE_KEPT) late.delete(late.keys().next().value as string);
    }
    return step;
  }

  function add(event: TraceEvent, isError: boolean) {
    const { step_id: id, kind } = event;
    const isOwn = kind === "agent.action" || kind === "assertion";
    if (typeof id !== "string" || id === "") {
      if (isError && !isOwn) count(event, stepAt(event.ts));
      return;
    }
    const step = find(id) ?? begin(id, event);
    if (step.parent_step_id === null) step.parent_step_id = parentOf(event);
    // Keeps the ancestors of what goes on young, however long ago they began.
    if (step.parent_step_id !== null) find(step.parent_step_id);
    if (isOwn) extend(step, event, isError);
    else {
      if (kind === "agent.thought" && !step.hasTitle && typeof event.text === "string")
        step.title = headline(plainText(event.text, 1_000));
      if (isError) count(event, step);
    }
    step.end = Math.max(step.end, event.ts);
  }

  function extend(step: Step, event: TraceEvent, isError: boolean) {
    const duration = Number.isFinite(event.duration_ms) ? Math.max(0, Number(event.duration_ms)) : 0;
    step.ts = Math.min(step.ts, event.ts);
    step.end = Math.max(step.end, event.ts + duration);
    step.duration_ms = Math.round(step.end - step.ts);
    if (!step.hasTitle) {
      step.title = titleOf(event);
      step.kind = event.kind;
      step.hasTitle = true;
    }
    if (isError) {
      step.isHealable = event.kind === "agent.action" && (step.status === "passed" || step.isHealable);
      step.status = "failed";
      step.error = headline(messageOf(event));
    } else if (step.isHealable && event.kind === "agent.action") {
      step.isHealable = false;
      step.status = "passed";
      delete step.error;
    }
    if (open.at(-1) !== step) open.push(step);
    if (open.length > OPEN_KEPT) open = open.slice(-OPEN_KEPT / 2);
  }

  /** The innermost step that was going on at a moment. */
  function stepAt(ts: number): Step | null {
    let best: Step | null = null;
    for (const step of open)
      if (step.ts <= ts && ts <= step.end && (!best || step.ts >= best.ts)) best = step;
    return best;
  }

  function count(event: TraceEvent, step: Step | null) {
    if (!step) return;
    if (event.kind === "console.error") step.console_errors += 1;
    if (event.kind === "network.response") step.bad_requests += 1;
  }

  /** Keeps a step and its ancestors whatever comes after. */
  function pin(id: string | undefined) {
    for (let depth = 0; id && depth < MAX_DEPTH; depth++) {
      const step = find(id);
      if (!step) return;
      if (!first.has(id)) pinned.set(id, step);
      id = step.parent_step_id ?? undefined;
    }
  }

  /** The first thousand; the wanted step and its ancestors take the places of the last ones when they are not among them. */
  function finish(wanted: string | null): { steps: StepSummary[]; count: number } {
    const needed: Step[] = [];
    const taken = new Set<string>();
    for (let id = wanted; id !== null && !taken.has(id) && taken.size < MAX_DEPTH; ) {
      taken.add(id);
      const step = find(id);
      if (!step) break;
      needed.push(step);
      id = step.parent_step_id;
    }
    const extra = needed.filter((step) => !first.has(step.step_id));
    const base = [...first.values()];
    const spare = base.filter((step) => !taken.has(step.step_id));
    const room = MAX_SUMMARY_STEPS - (base.length - spare.length) - extra.length;
    const dropped = new Set(spare.slice(Math.max(0, room)));
    const steps = [...base.filter((step) => !dropped.has(step)), ...extra].sort((a, b) => a.index - b.index);
    return { steps: steps.map(withoutMarks), count: seen.size };
  }

  return { add, pin, finish, get: find };
}

function withoutMarks(step: Step): StepSummary {
  const { end: _end, hasTitle: _hasTitle, isHealable: _isHealable, ...summary } = step;
  return summary;
}

function parentOf(event: TraceEvent): string | null {
  const { parent_step_id: parent } = event;
  const isOther = typeof parent === "string" && parent !== "" && parent !== event.step_id;
  return isOther ? cut(parent, LONGEST_ID) : null;
}

/** What an action or assertion is called: its title, else its name, else what it says. */
export function titleOf(event: TraceEvent): string {
  for (const value of [event.title, event.name, event.message])
    if (typeof value === "string" && value.trim() !== "") return headline(plainText(value, 2_000));
  return event.kind;
}

/** What a failing action or assertion says went wrong, as plain text. */
export function messageOf(event: TraceEvent): string {
  const error = event.error;
  const inner = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  for (const value of [inner, event.message])
    if (typeof value === "string" && value.trim() !== "") return plainText(value);
  return "";
}

/** 53 bits of a string (two rounds of a multiplicative hash): step ids are counted without being kept. */
function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
