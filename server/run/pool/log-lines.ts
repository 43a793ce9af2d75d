import type { Progress } from "../runner/execution.ts";
import type { LogLine } from "./protocol.ts";

/** What a run's log says of its progress; null for nothing. */
export function describe(progress: Progress): LogLine | null {
  switch (progress.type) {
    case "started":
    case "caught_up":
      return null;
    case "step":
      return { level: "info", message: progress.step.source, stepId: progress.step.id };
    case "step_ended":
      return progress.error
        ? { level: "error", message: progress.error.message, stepId: progress.step.id }
        : {
            level: "info",
            message: `done in ${Math.round(progress.durationMs)} ms`,
            stepId: progress.step.id,
          };
  }
}
