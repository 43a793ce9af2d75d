import type { CauseKind } from "../../../server/trace/format/cause/types.ts";

/** What the failure says itself is no cause of it. */
export const SYMPTOMS: ReadonlySet<CauseKind> = new Set(["assertion"]);

/** How sure a cause is, before its title. */
export const sureness = (confidence: number): string =>
  confidence >= 0.75 ? "Likely cause" : confidence >= 0.45 ? "Possible cause" : "Perhaps";
