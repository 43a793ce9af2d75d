import { detectAssertion } from "./detectors/assertion.ts";
import type { Detector } from "./types.ts";

/** Every class of causes. Their order means nothing: the ranker has the last word. */
export const DETECTORS: readonly Detector[] = [detectAssertion];
