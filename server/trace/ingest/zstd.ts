import { unreadable } from "../../../store/archives/errors.ts";

/**
 * The content of a zstd file (RFC 8878), a piece at a time. The web stream, not node's: that one takes a file that was
 * cut short for a whole one.
 * @throws ArchiveError `bundle_unreadable` when it ends early, is damaged, or has something else behind its end.
 */
export async function* zstdContent(path: string): AsyncGenerator<Uint8Array> {
  // Bun knows "zstd"; the types of the web do not yet.
  const decompress = new DecompressionStream("zstd" as CompressionFormat);
  try {
    yield* Bun.file(path).stream().pipeThrough(decompress) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw error;
    throw unreadable(
      `The zstd stream is damaged or ends early (${error instanceof Error ? error.message : error}).`,
    );
  }
}
