import type { StepSummary } from "../../../server/trace/format/summary.ts";
import type { Steps } from "../model/steps.ts";

/** What a runner does around the test, for itself: hooks, fixtures, what only reads the page. */
const NOISE =
  /^(?:Before Hooks|After Hooks|Worker Cleanup|(?:before|after)(?:Each|All) hook\b|Fixture "|Attach "error-context"|Set overlay visibility$|Launch browser$|Create (?:context|page)$|Close (?:context|page|browser)$|Get (?:text content|inner text|inner HTML|attribute|input value|URL|title|count)\b|Is (?:visible|hidden|enabled|disabled|checked|editable)\b|(?:Start|Stop) tracing\b|Set (?:extra HTTP headers|default)\b)/i;

/**
 * Steps that tell little about the scenario: those a test runner makes for itself and all within them. Never one that
 * failed, has an error or a bad request, or such a step within it.
 */
export function noiseOf(steps: Steps): ReadonlySet<string> {
  const kept = new Set<string>();
  for (const step of steps) {
    const matters = step.status === "failed" || step.console_errors > 0 || step.bad_requests > 0;
    let at: StepSummary | undefined = matters ? step : undefined;
    while (at && !kept.has(at.step_id)) {
      kept.add(at.step_id);
      at = at.parent_step_id ? steps.byId(at.parent_step_id) : undefined;
    }
  }
  const noise = new Set<string>();
  for (const step of steps) {
    if (kept.has(step.step_id)) continue;
    const isWithin = step.parent_step_id !== null && noise.has(step.parent_step_id);
    if (isWithin || NOISE.test(step.title)) noise.add(step.step_id);
  }
  return noise;
}
