import { useKeys } from "../ui/keyboard.ts";
import { closeAsk, openAsk } from "./ask/state.ts";
import { setDock, shownDock } from "./model/dock.ts";
import { closeFind, findState, openFind } from "./model/find.ts";
import type { TraceModel } from "./model/model.ts";
import { moveStep } from "./steps/nodes.ts";

function moveFailure(model: TraceModel, by: 1 | -1): boolean {
  const failed = model.failedSteps.peek();
  if (failed.length === 0) return false;
  const here = model.step.peek();
  const at = here?.index ?? 0;
  const next = by > 0 ? failed.find((step) => step.index > at) : failed.findLast((step) => step.index < at);
  const wrapped = by > 0 ? failed[0] : failed.at(-1);
  const target = next ?? wrapped;
  if (target) model.selectStep(target.step_id, { isJump: true });
  return true;
}

/** What the page opened with: the step that failed, and its error. */
function goToFailure(model: TraceModel): boolean {
  const id = model.summary.peek()?.failure?.step_id ?? model.failedSteps.peek().at(-1)?.step_id;
  if (id === undefined) return false;
  model.jump(() => {
    model.selectStep(id);
    model.selectTab("error");
  });
  return true;
}

function moveHit(model: TraceModel, by: 1 | -1): boolean {
  const move = findState(model).move.peek();
  move?.(by);
  return move !== null;
}

/** The keys of the trace page. */
export function useTraceKeys(model: TraceModel): void {
  useKeys([
    { keys: ["j", "ArrowDown"], label: "Next step", group: "Steps", run: () => moveStep(model, 1) },
    { keys: ["k", "ArrowUp"], label: "Previous step", group: "Steps", run: () => moveStep(model, -1) },
    { keys: ["]"], label: "Next failure", group: "Steps", run: () => moveFailure(model, 1) },
    { keys: ["["], label: "Previous failure", group: "Steps", run: () => moveFailure(model, -1) },
    { keys: ["g g"], label: "Go to the failure", group: "Steps", run: () => goToFailure(model) },
    {
      keys: ["/", "Mod+f"],
      label: "Find in this trace",
      group: "Find",
      // Asked a second time, the browser's own search opens.
      run: () => document.activeElement?.role !== "combobox" && openFind(model),
    },
    { keys: ["n"], label: "Next hit", group: "Find", run: () => moveHit(model, 1) },
    { keys: ["N"], label: "Previous hit", group: "Find", run: () => moveHit(model, -1) },
    ...(model.source.isShared
      ? []
      : [{ keys: ["a"], label: "Ask about this trace", group: "Trace", run: () => openAsk(model) }]),
    {
      keys: ["f"],
      label: "Filter the steps",
      group: "Steps",
      run: () => {
        const field = document.getElementById("step-filter");
        field?.focus();
        return field !== null;
      },
    },
    {
      keys: ["Escape"],
      label: "Back one level: close the detail, the search, widen the time",
      group: "Steps",
      run: () => {
        if (model.eventSeq.peek() !== null) model.openEvent(model.tab.peek(), null);
        else if (closeFind(model)) return true;
        else if (model.window.peek()) model.setWindow(null);
        else if (model.stepFilter.peek()) model.stepFilter.value = "";
        else if (closeAsk(model)) return true;
        else return false;
        return true;
      },
    },
    {
      keys: ["d"],
      label: "Move the panels beside or below the page",
      group: "Panels",
      run: () => {
        setDock(shownDock() === "right" ? "bottom" : "right");
        return true;
      },
    },
    ...model.tabs.value.map((tab, index) => ({
      keys: index < 9 ? [String(index + 1), `g ${tab.key}`] : [`g ${tab.key}`],
      label: tab.title,
      group: "Panels",
      run: () => {
        model.selectTab(tab.id);
        return true;
      },
    })),
  ]);
}
