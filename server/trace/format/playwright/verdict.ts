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
  if (errors.length === 0) return { status: "passed" };
  const failed = steps.inOrder.filter(({ action }) => action.error);
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
