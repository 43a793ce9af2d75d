import { record } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

const USUAL_VIEWPORT = { width: 1280, height: 720 };

/** Version 2 records the viewport with every main-frame snapshot; before, the context's own held throughout. */
export const v1ToV2: UpgradeStep = (event, state) => {
  const snapshot = record(event.snapshot);
  if (event.type !== "frame-snapshot" || !snapshot.isMainFrame) return [event];
  return [{ ...event, snapshot: { ...snapshot, viewport: state.options?.viewport ?? USUAL_VIEWPORT } }];
};
