import { join } from "node:path";
import { recompress } from "../../../store/events/recompress.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { describeOutput, type OutputFile } from "./output-files.ts";

export interface RecompressInput {
  path: string;
  indexPath: string;
  /** Of zstd. */
  level: number;
  /** Empty folder for the new files. */
  folder: string;
}

/** The task `trace.recompress`: the same events in smaller frames, as new files in the work folder, fsynced. */
export async function recompressEvents(
  input: RecompressInput,
  progress: (progress: unknown) => void,
): Promise<OutputFile[]> {
  progress(0);
  await recompress({
    path: input.path,
    indexPath: input.indexPath,
    outPath: join(input.folder, TRACE_FILES.events),
    outIndexPath: join(input.folder, TRACE_FILES.eventIndex),
    level: input.level,
    onProgress: progress,
  });
  return [
    await describeOutput(input.folder, {
      kind: "ndjson",
      name: TRACE_FILES.events,
      mediaType: "application/zstd",
    }),
    await describeOutput(input.folder, {
      kind: "event_index",
      name: TRACE_FILES.eventIndex,
      mediaType: "application/octet-stream",
    }),
  ];
}
