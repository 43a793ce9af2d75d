import { number, text } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

/**
 * Version 7 names the recorder (`origin`) and ties its monotonic clock to the wall clock; before, every action carried
 * a wall time of its own, and a call of the library met its runner step only by name and wall time.
 */
export const v6ToV7: UpgradeStep = (event) => {
  if (event.type === "context-options") return [{ ...event, origin: event.origin ?? "library" }];
  if (event.type !== "before" && event.type !== "action") return [event];
  const wallTime = number(event.wallTime);
  if (wallTime === undefined) return [event];
  return [{ ...event, stepId: event.stepId ?? `${text(event.apiName) ?? ""}@${wallTime}` }];
};
