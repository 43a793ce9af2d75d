import { splitCallLog } from "../error-text.ts";
import type { StackFrame } from "../event.ts";
import type { Step, Steps } from "./actions.ts";
import type { Context } from "./context.ts";
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
  const failed = steps.inOrder.filter(({ action, isTry }) => action.error && !isTry);
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
  const [first] = errors;
  if (TIMEOUT.test(first!.message)) return failure(hungStep(steps)?.id ?? null, first!.message);
  // Whatever failed before and was caught is not what this error ended.
  return failure(null, first!.message, first!.stack);
}

const TIMEOUT = /\btimeout of \d+ ?ms exceeded/i;

/** What a test that ran out of time was waiting for: of what had not ended well the last begun, set-up and clean-up aside. */
function hungStep({ inOrder }: Steps): Step | undefined {
  const machinery = new Set<string>();
  for (const { id, parentId, action } of inOrder)
    if (isMachinery(action) || (parentId !== null && machinery.has(parentId))) machinery.add(id);
  const open = inOrder.filter(({ action, isTry }) => !isTry && (action.error || action.end === null));
  return open.findLast(({ id }) => !machinery.has(id)) ?? open.at(-1);
}

/** Fixtures, and what runs after the test; a hook of the test's own may well be what hangs. */
function isMachinery({ className, method, title }: Step["action"]): boolean {
  return (
    className === "Test" && (method === "fixture" || /^(?:After Hooks|Worker Cleanup)$/.test(title ?? ""))
  );
}

function withoutRunner(steps: Steps): Pick<PlaywrightResult, "status" | "failure"> {
  const step = steps.inOrder.findLast(({ action, isTry }) => action.error && !isTry);
  return step ? failure(step.id, step.action.error!.message) : { status: "passed" };
}

function failure(
  stepId: string | null,
  message: string,
  stack?: StackFrame[],
): Pick<PlaywrightResult, "status" | "failure"> {
  return {
    status: "failed",
    failure: { step_id: stepId, message: splitCallLog(message).message, ...(stack && { stack }) },
  };
}
