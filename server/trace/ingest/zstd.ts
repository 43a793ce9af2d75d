import { unreadable } from "../../../store/archives/errors.ts";
import { free } from "./free.ts";
import { growingContent, NotWholeError } from "./growing.ts";

/**
 * The content of a zstd file (RFC 8878), a piece at a time. The web stream, not node's: that one takes a file that was
 * cut short for a whole one.
 * A piece is the caller's until the next one is asked for: what is kept of it must be a copy.
 * @param growth of a file that is still being written: see `growing.ts`
 * @throws ArchiveError `bundle_unreadable` when it ends early, is damaged, or has something else behind its end.
 */
export async function* zstdContent(path: string, growth?: SharedArrayBuffer): AsyncGenerator<Uint8Array> {
  // Bun knows "zstd"; the types of the web do not yet.
  const decompress = new DecompressionStream("zstd" as CompressionFormat);
  try {
    const packed = growth ? streamOf(growingContent(path, growth)) : Bun.file(path).stream();
    for await (const piece of packed.pipeThrough(decompress) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      yield piece;
      free(piece);
    }
  } catch (error) {
    if (error instanceof NotWholeError) throw error;
    if (error instanceof Error && "syscall" in error) throw error;
    throw unreadable(
      `The zstd stream is damaged or ends early (${error instanceof Error ? error.message : error}).`,
    );
  }
}

function streamOf(content: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await content.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await content.return(undefined);
    },
  });
}
