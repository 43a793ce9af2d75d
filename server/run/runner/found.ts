import type { Frame, Locator } from "playwright-core";
import type { ElementProbe } from "./element-probe.ts";

/** The one element that a target means. */
export interface Found {
  locator: Locator;
  frame: Frame;
  /** How it was found, in a sentence. */
  why: string;
  /** How it looked then; null when it went away meanwhile. */
  seen: ElementProbe | null;
}
