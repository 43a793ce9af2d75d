import { record } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

/** Version 1 records an action's error as an object with name and message; before, it was the bare message. */
export const v0ToV1: UpgradeStep = (event) => {
  if (event.type !== "action") return [event];
  const metadata = record(event.metadata);
  if (typeof metadata.error !== "string") return [event];
  return [
    { ...event, metadata: { ...metadata, error: { error: { name: "Error", message: metadata.error } } } },
  ];
};
