import {
  type ComparedWith,
  type NamedBlobs,
  type ProcessInput,
  type ProcessOutput,
  processTrace,
} from "../../server/trace/process/task.ts";

/**
 * The task `trace.process` in this process, and the blobs that it tells of on the way.
 * @param against what a failure is compared with; without it nobody looks for the cause
 */
export async function processHere(
  input: Omit<ProcessInput, "isCauseWanted">,
  against?: ComparedWith | Promise<ComparedWith>,
): Promise<ProcessOutput & NamedBlobs> {
  const told: NamedBlobs[] = [];
  const output = await processTrace(
    { ...input, isCauseWanted: against !== undefined },
    (progress) => {
      if (typeof progress !== "number") told.push(progress);
    },
    async () => against!,
  );
  return { ...output, ...told[0]! };
}
