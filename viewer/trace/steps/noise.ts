import { isNoise } from "../../../server/trace/format/step-noise.ts";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import type { Steps } from "../model/steps.ts";

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
    if (isWithin || isNoise(step.title)) noise.add(step.step_id);
  }
  return noise;
}
