import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { markOf } from "./mark.ts";
import type { TraceModel } from "./model.ts";

interface Timed {
  ts: number;
  stepId: string | null;
  /** Of the step's id, where it is kept: tells most apart without reading it. */
  stepMark?: number;
}

/** Remembers a panel's own filters while the trace is open, whichever panel is shown. */
export function perModel<T extends object>(create: (model: TraceModel) => T): (model: TraceModel) => T {
  const states = new WeakMap<TraceModel, T>();
  return (model) => {
    const known = states.get(model);
    if (known) return known;
    const state = create(model);
    states.set(model, state);
    return state;
  };
}

export interface Scope {
  /** Only what belongs to the shown step. */
  isStepOnly: Signal<boolean>;
  /** Whether a row lies in the time window and, where asked, in the step. `length` in ms. */
  includes: ReadonlySignal<(row: Timed, length: number) => boolean>;
}

/** The narrowing that all lists share: the window drawn on the timeline, and the shown step. */
export function createScope(model: TraceModel): Scope {
  const isStepOnly = signal(false);
  const includes = computed(() => {
    const span = model.window.value;
    const step = isStepOnly.value ? model.step.value : null;
    const id = step?.step_id ?? null;
    const mark = markOf(id);
    return (row: Timed, length: number): boolean => {
      if (span && (row.ts > span[1] || row.ts + length < span[0])) return false;
      if (!step) return true;
      const isOwn = (row.stepMark === undefined || row.stepMark === mark) && row.stepId === id;
      return isOwn || (row.ts >= step.ts && row.ts <= step.ts + step.duration_ms);
    };
  });
  return { isStepOnly, includes };
}
