import { list } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

/** Version 6 records each line of an action's log when it happens; before, the closing line carried them all. */
export const v5ToV6: UpgradeStep = (event) => {
  if ((event.type !== "after" && event.type !== "action") || !Array.isArray(event.log)) return [event];
  const { log, ...rest } = event;
  return [rest, ...list(log).map((message) => ({ type: "log", callId: event.callId, message }))];
};
