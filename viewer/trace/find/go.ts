import { batch } from "@preact/signals";
import type { TraceModel } from "../model/model.ts";
import type { FoundHit } from "./groups.ts";
import { findState } from "./state.ts";

/** Shows a hit: its step, its moment, and its row in the panel that has it. */
export function goToHit(model: TraceModel, hit: FoundHit): void {
  const step = hit.stepId === null ? undefined : model.stepsById.peek().get(hit.stepId);
  batch(() => {
    if (step && (hit.group === "steps" || hit.group === "assertions")) {
      model.selectStep(step.step_id);
      model.selectTab(step.status === "failed" ? "error" : "call");
      return;
    }
    const state = findState(model);
    const text = state.text.peek();
    state.openBody.value = hit.reference && text ? { reference: hit.reference, text } : null;
    model.selectTime(hit.ts);
    if (hit.group === "bodies") {
      model.openEvent(hit.kind.startsWith("network.") ? "network" : "events", hit.seq);
      return;
    }
    model.openEvent(hit.group === "network" || hit.group === "console" ? hit.group : "events", hit.seq);
  });
}
