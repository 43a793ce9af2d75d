import { batch } from "@preact/signals";
import { findState } from "../model/find.ts";
import type { TraceModel } from "../model/model.ts";
import { isWorldKind, type TabId } from "../model/tabs.ts";
import { MOMENTS } from "../model/views.ts";
import type { FoundHit } from "./groups.ts";

/** The panel whose rows have the event of a hit; null when it is a step's own. */
function panelOf({ group, kind, excerpt }: FoundHit): TabId | null {
  if (group === "network" || group === "console" || group === "thoughts") return group;
  if (group === "assertions") return "expects";
  if (group === "steps") return null;
  if (isWorldKind(kind)) return "world";
  if (kind === "storage.state") return "storage";
  if (group !== "bodies") return "events";
  if (kind.startsWith("network.")) return "network";
  // The field may have a count behind it.
  if (excerpt?.field.startsWith("attachments")) return "attachments";
  return excerpt?.field.startsWith("stack") ? null : "events";
}

/** The page that has the text, where its step is. */
function goToPage(model: TraceModel, { stepId, ts, phase }: FoundHit): void {
  const moment = MOMENTS.find((one) => one === phase);
  if (stepId !== null && model.steps.peek().byId(stepId) && moment) {
    model.selectStep(stepId);
    model.selectMoment(moment);
  } else model.selectTime(Math.ceil(ts));
  model.showView("page");
}

/** Shows a hit: its step, its moment, and its row in the panel that has it. */
export function goToHit(model: TraceModel, hit: FoundHit): void {
  const step = hit.stepId === null ? undefined : model.steps.peek().byId(hit.stepId);
  const panel = panelOf(hit);
  batch(() => {
    const state = findState(model);
    const text = state.text.peek();
    const isPage = hit.group === "pages";
    state.openBody.value = hit.reference && text && !isPage ? { reference: hit.reference, text } : null;
    if (isPage) {
      goToPage(model, hit);
      return;
    }
    const isOfStep = panel === null || panel === "expects" || panel === "attachments";
    if (step && isOfStep) model.selectStep(step.step_id);
    // Rounded up, or what comes before it would be what is shown.
    else model.selectTime(Math.ceil(hit.ts));
    if (panel !== null) model.openEvent(panel, hit.seq);
    else if (step) model.selectTab(step.status === "failed" ? "error" : "call");
    else model.openEvent("events", hit.seq);
  });
}
