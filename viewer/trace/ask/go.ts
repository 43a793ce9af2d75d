import { batch } from "@preact/signals";
import type { TraceModel } from "../model/model.ts";
import { isWorldKind, type TabId } from "../model/tabs.ts";

/** Where an answer may point: a step by its number, an event by its seq, a moment in ms from the beginning. */
const PLACE = /^(step|event|moment):(\d{1,15})$/;

export interface Place {
  kind: "step" | "event" | "moment";
  at: number;
}

/** The place that a link of an answer names; null for any other link, which is no link then. */
export function readPlace(href: string): Place | null {
  const found = PLACE.exec(href);
  return found ? { kind: found[1] as Place["kind"], at: Number(found[2]) } : null;
}

/** The address of a place within the page, for a tab of its own. */
export function addressOf(model: TraceModel, { kind, at }: Place): string {
  if (kind === "moment") return `?t=${at}`;
  if (kind === "event") return `?tab=events&event=${at}`;
  for (const step of model.steps.peek())
    if (step.index === at) return `?step=${encodeURIComponent(step.step_id)}`;
  return "?";
}

function panelOf(kind: string): TabId {
  if (kind.startsWith("network.")) return "network";
  if (kind.startsWith("console.")) return "console";
  return isWorldKind(kind) ? "world" : "events";
}

/** Shows a place. @returns in words what is wrong where there is no such place */
export async function goToPlace(model: TraceModel, { kind, at }: Place): Promise<string | null> {
  if (kind === "moment") {
    model.jump(() => model.selectTime(model.origin.peek() + at));
    return null;
  }
  if (kind === "step") {
    for (const step of model.steps.peek())
      if (step.index === at) {
        model.selectStep(step.step_id, { isJump: true });
        return null;
      }
    return `This trace has no step ${at}.`;
  }
  const { events } = await model.source.events({ from_seq: at, limit: 1 });
  const event = events[0];
  if (event?.seq !== at) return `This trace has no event ${at}.`;
  model.jump(() =>
    batch(() => {
      model.selectTime(Math.ceil(event.ts));
      model.openEvent(panelOf(event.kind), at);
    }),
  );
  return null;
}
