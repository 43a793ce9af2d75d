import type { Steps } from "./actions.ts";
import { type Context, splitCallLog } from "./context.ts";
import type { PlaywrightResult } from "./source.ts";

/**
 * How the recorded run ended: `failed` when the runner recorded an error or, without a runner, any action ended in
 * one. The failure named is the first whose step is known, since a time-out of the test is told before the call that
 * hung.
 */
export function verdictOf(contexts: Context[], steps: Steps): Pick<PlaywrightResult, "status" | "failure"> {
  const runners = contexts.filter(({ isRunner }) => isRunner);
  if (runners.length === 0) return withoutRunner(steps);
  const errors = runners.flatMap((context) => context.errors);
  const failed = steps.inOrder.filter(({ action }) => action.error);
  if (errors.length === 0) {
    // Runners before format version 7 record no errors of the test, only of its steps; one that the test's own code
    // did not catch ends an outermost step.
    const tellsOnlySteps = runners.every(({ version }) => version < 7);
    const outer = tellsOnlySteps ? failed.findLast(({ parentId }) => parentId === null) : undefined;
    if (!outer) return { status: "passed" };
    errors.push({ message: outer.action.error!.message, time: outer.start });
  }
  for (const error of errors) {
    // The step begun last is the innermost: errors pass outwards through the steps around it.
    const step = failed.findLast(({ action }) => action.error!.message === error.message);
    if (step) return failure(step.id, error.message);
  }
  return failure(failed.at(-1)?.id ?? null, errors[0]!.message);
}

function withoutRunner(steps: Steps): Pick<PlaywrightResult, "status" | "failure"> {
  const step = steps.inOrder.findLast(({ action }) => action.error);
  return step ? failure(step.id, step.action.error!.message) : { status: "passed" };
}

function failure(stepId: string | null, message: string): Pick<PlaywrightResult, "status" | "failure"> {
  return { status: "failed", failure: { step_id: stepId, message: splitCallLog(message).message } };
}
