import { text } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

/**
 * Version 10 gives a runner step and its library call one id; before, the call carried the step's id beside its own.
 * The link is kept as `linkId`: the ids stay what the archive calls them.
 */
export const v9ToV10: UpgradeStep = (event) => {
  if (event.type !== "before" && event.type !== "action") return [event];
  const { stepId, ...rest } = event;
  return [{ ...rest, linkId: text(stepId) ?? event.callId }];
};
