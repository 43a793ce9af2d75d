import { DamagedFileError } from "./errors.ts";
import { createEventFiles, type EventFiles } from "./files.ts";
import type { EventFile } from "./types.ts";

/** A stored event file of which nothing may be missing. */
export interface WholeFile {
  path: string;
  indexPath: string;
  /** Events that it has at least, where that is known. */
  count?: number;
}

/**
 * Opens a file that grows no more.
 * @throws DamagedFileError when it has fewer than `count`: one that was cut at the end of a frame, or to nothing, reads
 * like one that is still growing
 */
export async function openWhole(
  files: EventFiles,
  { path, indexPath, count = 0 }: WholeFile,
): Promise<EventFile> {
  const file = await files.open(path, indexPath);
  if (file.info.count < count)
    throw new DamagedFileError(`${path} holds ${file.info.count} of ${count} events.`);
  return file;
}

/** The lines of a file that is read once, in batches. @throws as `openWhole` */
export async function* linesOfWhole(whole: WholeFile): AsyncGenerator<string[]> {
  const files = createEventFiles();
  try {
    yield* (await openWhole(files, whole)).lineBatches();
  } finally {
    files.close();
  }
}
