import { diagnoseTask } from "./gate/mender/diagnose-task.ts";
import { effectsTask } from "./gate/mender/effects-task.ts";
import { proposalTask } from "./gate/mender/proposal-task.ts";
import { compileHead } from "./gate/plan/compile-task.ts";
import { compileFolder } from "./run/scenarios/compile-task.ts";
import { causeTask } from "./trace/causes/task.ts";
import { diffTask } from "./trace/diffs/task.ts";
import { findTask } from "./trace/find/task.ts";
import { readAlong } from "./trace/ingest/read-along-task.ts";
import { unpackUpload } from "./trace/ingest/unpack.ts";
import { recompressEvents } from "./trace/process/recompress-task.ts";
import { processTrace } from "./trace/process/task.ts";
import { readReport } from "./trace/test-runs/read-report.ts";

/**
 * A function that runs in a worker: files in, files and a plain answer out; no records, no network.
 * A thrown error's `kind` (an `ErrorCode`) reaches the caller as `TaskError.kind`.
 */
export type Task = (input: never, progress: (progress: unknown) => void) => Promise<unknown>;

/** Everything that may run off the main thread, by name. */
export const TASKS: Record<string, Task> = {
  "gate.diagnose": diagnoseTask,
  "gate.judge_proposal": proposalTask,
  "gate.effects": effectsTask,
  "gate.compile": compileHead,
  "ingest.read_along": readAlong,
  "ingest.unpack": unpackUpload,
  "scenarios.compile": compileFolder,
  "test-runs.read": readReport,
  "trace.cause": causeTask,
  "trace.diff": diffTask,
  "trace.find": findTask,
  "trace.process": processTrace,
  "trace.recompress": recompressEvents,
};
