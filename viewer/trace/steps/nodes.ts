import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { noiseOf } from "../../../server/trace/format/step-noise.ts";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { recall, remember } from "../../ui/storage.ts";
import type { TraceModel } from "../model/model.ts";
import { filterRows, type RowList } from "../model/row-list.ts";
import { type StepNode, toTree } from "../model/step-tree.ts";

/** Whether all steps are shown, also those a runner makes for itself; kept for the next trace. */
export const areAllShown = signal(recall("all-steps") === "yes");

export function showAllSteps(isOn: boolean): void {
  areAllShown.value = isOn;
  remember("all-steps", isOn ? "yes" : null);
}

const NONE: ReadonlySet<string> = new Set();

interface StepListState {
  /** How many steps are not shown for being noise. */
  hiddenCount: ReadonlySignal<number>;
  nodes: ReadonlySignal<RowList<StepNode>>;
  /** Of the shown step among them; -1 when it is not. */
  place: ReadonlySignal<number>;
  toggle(stepId: string): void;
}

const states = new WeakMap<TraceModel, StepListState>();

/** What a test runner does around the test. */
const AROUND = /^(Before Hooks|After Hooks|Worker Cleanup)$/;

function createState(model: TraceModel): StepListState {
  const toggled = signal<ReadonlySet<string>>(new Set());
  const around = computed(() => [...filterRows(model.steps.value, (step) => AROUND.test(step.title))]);
  /** Folded unless something in it failed or the reader is in it. */
  const quiet = computed(() => {
    if (around.value.length === 0) return "[]";
    const { byId } = model.steps.value;
    const open = new Set<string>();
    const keep = model.step.value ? [...model.failedSteps.value, model.step.value] : model.failedSteps.value;
    for (const step of keep) {
      let at = step.parent_step_id;
      while (at !== null && !open.has(at)) {
        open.add(at);
        at = byId(at)?.parent_step_id ?? null;
      }
    }
    const folded = around.value.filter((step) => !open.has(step.step_id));
    // As text, so that moving among steps does not build the same tree again.
    return JSON.stringify(folded.map((step) => step.step_id));
  });
  const collapsed = computed(() => {
    const ids = new Set<string>(JSON.parse(quiet.value) as string[]);
    for (const id of toggled.value) if (!ids.delete(id)) ids.add(id);
    return ids;
  });
  const noise = computed(() => noiseOf(model.steps.value));
  /** The same set as long as the shown step is not noise, so that moving among steps builds no tree anew. */
  const hidden = computed<ReadonlySet<string>>(() => {
    if (areAllShown.value || model.stepFilter.value.trim() !== "") return NONE;
    const shown = model.step.value;
    if (!shown || !noise.value.has(shown.step_id)) return noise.value;
    const rest = new Set(noise.value);
    let at: string | null = shown.step_id;
    while (at !== null && rest.delete(at)) at = model.steps.value.byId(at)?.parent_step_id ?? null;
    return rest;
  });
  const nodes = computed(() => {
    const left = hidden.value;
    const listed =
      left.size === 0 ? model.steps.value : filterRows(model.steps.value, (step) => !left.has(step.step_id));
    const words = model.stepFilter.value.trim().toLowerCase();
    const span = model.window.value;
    const matches =
      words === "" && !span
        ? null
        : (step: { title: string; error?: string; ts: number; duration_ms: number }) =>
            (!span || (step.ts <= span[1] && step.ts + step.duration_ms >= span[0])) &&
            (words === "" ||
              step.title.toLowerCase().includes(words) ||
              (step.error?.toLowerCase().includes(words) ?? false));
    return toTree(listed, collapsed.value, matches);
  });
  return {
    nodes,
    place: computed(() => placeOfStep(nodes.value, model.step.value)),
    hiddenCount: computed(() => noise.value.size),
    toggle(stepId) {
      const next = new Set(toggled.peek());
      if (!next.delete(stepId)) next.add(stepId);
      toggled.value = next;
    },
  };
}

function stateOf(model: TraceModel): StepListState {
  let state = states.get(model);
  if (!state) {
    state = createState(model);
    states.set(model, state);
  }
  return state;
}

/** The rows of the step list, filtered and folded: also what the keys move along. */
export const stepNodes = (model: TraceModel): ReadonlySignal<RowList<StepNode>> => stateOf(model).nodes;

/** Where a step stands in the list; -1 when it is not there. */
function placeOfStep(nodes: RowList<StepNode>, step: StepSummary | null): number {
  // Where all are listed and none lies within another, its number says it.
  if (step && nodes.at(step.index - 1)?.step.index === step.index) return step.index - 1;
  let place = 0;
  for (const node of nodes) {
    if (node.step.index === step?.index) return place;
    place += 1;
  }
  return -1;
}

/** Where the shown step stands in the step list; -1 when it is not there. */
export const shownPlace = (model: TraceModel): ReadonlySignal<number> => stateOf(model).place;

/** How many steps are noise: hidden unless all are shown or some are looked for by words. */
export const noiseCount = (model: TraceModel): ReadonlySignal<number> => stateOf(model).hiddenCount;

/** Folds or unfolds what lies below a step. */
export const toggleStep = (model: TraceModel, stepId: string): void => stateOf(model).toggle(stepId);

/** Moves among the steps that the list shows now; false when it shows none. */
export function moveStep(model: TraceModel, by: number): boolean {
  const nodes = stepNodes(model).peek();
  if (nodes.length === 0) return false;
  const at = shownPlace(model).peek();
  const next = nodes.at(at < 0 ? 0 : Math.max(0, Math.min(nodes.length - 1, at + by)));
  if (next) model.selectStep(next.step.step_id);
  return true;
}
