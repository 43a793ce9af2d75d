import { type Attempt, plainly } from "./attempt.ts";
import { detectIn } from "./detectors.ts";
import { withPlausibility } from "./plausibility/plausibility.ts";
import { headlineOf, rankFindings } from "./rank.ts";
import { withRelevance } from "./relevance.ts";
import type { Cause, Evidence } from "./types.ts";

/** Rises whenever the same evidence may give another cause: what an earlier one found is then looked for anew. */
export const CAUSE_ENGINE = 28;

/**
 * Why a run failed, from what it and the passes before it recorded.
 * @param attempt what a detector or a rule does that throws; the cause is told without it
 */
export function findCause(evidence: Evidence, attempt: Attempt = plainly): Cause {
  const { failed } = evidence;
  const found = withRelevance(detectIn(evidence, attempt), evidence);
  const findings = withPlausibility(found, evidence, attempt);
  const { suspects, also_when_passing } = rankFindings(findings, failed);
  const step = failed.waited ?? failed.step;
  return {
    failed_step: step?.step_id == null ? null : { step_id: step.step_id, title: step.title },
    headline: headlineOf(suspects, failed),
    suspects,
    also_when_passing,
  };
}

/** Of a run that did not fail, or has not ended. */
export const NO_CAUSE: Cause = { failed_step: null, headline: null, suspects: [], also_when_passing: [] };
