import { DamagedFileError } from "./errors.ts";
import { createEventFiles } from "./files.ts";
import type { EventFileInfo, EventMeta } from "./types.ts";
import { createEventWriter } from "./writer.ts";

/**
 * Rewrites an event file at another zstd level into new files: the same text, in frames of the full size. Memory stays
 * flat. All is done on the calling thread: nobody waits for it.
 * @param options.onProgress is told after every frame how many bytes of the text are done.
 * @throws DamagedFileError when the source is damaged, or the signal's reason; then no new file is left.
 */
export async function recompress(options: {
  path: string;
  indexPath: string;
  outPath: string;
  outIndexPath: string;
  level: number;
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}): Promise<EventFileInfo> {
  const { path, indexPath, outPath, outIndexPath, level, onProgress, signal } = options;
  const files = createEventFiles({ cacheBytes: 8 << 20 });
  const writer = await createEventWriter({ path: outPath, indexPath: outIndexPath, level, isPatient: true });
  try {
    const source = await files.open(path, indexPath);
    const total = source.info.size;
    let done = 0;
    for await (const batch of source.lineBatches()) {
      for (const line of batch) {
        signal?.throwIfAborted();
        await writer.append(line, JSON.parse(line) as EventMeta);
        done += Buffer.byteLength(line) + 1;
      }
      onProgress?.({ done, total });
    }
    const { count } = source.info;
    const written = await writer.finish();
    if (written.size !== total || written.count !== count)
      throw new DamagedFileError(`The event file has ${written.count} events where its index says ${count}.`);
    return written;
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    files.close();
  }
}
