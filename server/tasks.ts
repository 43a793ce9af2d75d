/**
 * A function that runs in a worker: files in, files and a plain answer out; no records, no network. It may ask whoever started it, one
 * question at a time.
 * A thrown error's `kind` (an `ErrorCode`) reaches the caller as `TaskError.kind`.
 */
export type Task = (
  input: never,
  progress: (progress: unknown) => void,
  ask: (question: unknown) => Promise<never>,
) => Promise<unknown>;

/**
 * Everything that may run off the main thread, by name. Each is loaded when it is first asked for: a worker that takes uploads
 * apart starts in a fifth of the time that all of them take, and holds half as much.
 */
export const TASKS: Record<string, () => Promise<Task>> = {
  "gate.diagnose": async () => (await import("./gate/mender/diagnose-task.ts")).diagnoseTask,
  "gate.judge_proposal": async () => (await import("./gate/mender/proposal-task.ts")).proposalTask,
  "gate.effects": async () => (await import("./gate/mender/effects-task.ts")).effectsTask,
  "gate.recordings": async () => (await import("./gate/plan/recordings-task.ts")).readCommitRecordings,
  "gate.compile": async () => (await import("./gate/plan/compile-task.ts")).compileHead,
  "ingest.read_along": async () => (await import("./trace/ingest/read-along-task.ts")).readAlong,
  "ingest.unpack": async () => (await import("./trace/ingest/unpack.ts")).unpackUpload,
  "scenarios.compile": async () => (await import("./run/scenarios/compile-task.ts")).compileFolder,
  "test-runs.read": async () => (await import("./trace/test-runs/read-report.ts")).readReport,
  "trace.cause": async () => (await import("./trace/causes/task.ts")).causeTask,
  "trace.diff": async () => (await import("./trace/diffs/task.ts")).diffTask,
  "trace.find": async () => (await import("./trace/find/task.ts")).findTask,
  "trace.process": async () => (await import("./trace/process/task.ts")).processTrace,
  "trace.recompress": async () => (await import("./trace/process/recompress-task.ts")).recompressEvents,
};
