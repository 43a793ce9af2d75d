import type { CauseKind, Suspect } from "../../../server/trace/format/cause/types.ts";
import type { TraceModel } from "../model/model.ts";
import type { TabId } from "../model/tabs.ts";

/** The panels whose rows have the events of a kind of cause; what others name stands in the list of all events. */
const PANELS: Partial<Record<CauseKind, TabId>> = {
  request_failed: "network",
  request_pending: "network",
  answer_changed: "network",
  stale_answer: "network",
  script_failed: "network",
  stream_ended: "network",
  websocket_closed: "network",
  page_error: "console",
  console_error: "console",
  injected_fault: "world",
  assertion: "error",
  test_code: "error",
};

/** Shows what makes a suspect one: its event in the panel that has it, else its step. */
export function goToSuspect(model: TraceModel, { kind, events, step_id }: Suspect): void {
  const [seq] = events;
  const panel = PANELS[kind] ?? "events";
  if (panel === "error") model.selectTab("error");
  else if (seq !== undefined) model.openEvent(panel, seq);
  else if (step_id !== null) model.selectStep(step_id, { isJump: true });
}
