import type { Detector, Evidence, Finding } from "../types.ts";
import { detectNothingDone } from "./idle.ts";
import { detectNotKept } from "./kept.ts";
import { detectLeftOut } from "./left-out.ts";

/** What a run tells by itself. A comparison with passes says the same with more certainty, so that these are not asked then. */
const ALONE: readonly Detector[] = [detectLeftOut, detectNotKept, detectNothingDone];

/** Of a run that has no pass to compare with. */
export function detectAlone(evidence: Evidence): Finding[] {
  return evidence.passes.length > 0 ? [] : ALONE.flatMap((detect) => detect(evidence));
}
