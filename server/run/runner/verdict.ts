import { RunnerError, StepFailure } from "../errors.ts";
import type { Outcome } from "./execution.ts";

/** How a run ended, and why. */
export type Verdict = Pick<Outcome, "status" | "error">;

export const browserCrashed = () =>
  new RunnerError("browser_crashed", "The browser ended in the middle of the run.");

/** @param error that nothing waited for: what it came between would be waited for for good */
export function runnerBroke(error: unknown): RunnerError {
  const why = error instanceof Error ? error.message : String(error);
  return new RunnerError(
    "runner_failed",
    `The run was ended by an error of the runner itself: ${why}`,
    error,
  );
}

export function asLost(error: unknown): RunnerError {
  if (error instanceof RunnerError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new RunnerError("recording_lost", `The recording could not be kept: ${why}`, error);
}

export function verdictOf(error: unknown, stepId: string | null): Verdict {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StepFailure) return { status: "failed", error: { reason: null, message, stepId } };
  if (error instanceof RunnerError)
    return { status: "error", error: { reason: error.reason, message, stepId } };
  return { status: "error", error: { reason: "runner_failed", message, stepId } };
}

/** Of a run that was told to end. @param reason of its signal */
export function endedEarly(reason: unknown, stepId: string | null): Verdict {
  if (reason instanceof StepFailure || reason instanceof RunnerError) return verdictOf(reason, stepId);
  const message = reason instanceof Error ? reason.message : "The run was ended.";
  return { status: "aborted", error: { reason: "aborted", message, stepId } };
}
