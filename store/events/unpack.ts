import { createZstdDecompress } from "node:zlib";
import { EventStreamError } from "./errors.ts";
import { createFrameWalker } from "./frame-walker.ts";

/**
 * Unpacks a zstd stream of any number of frames, a little at a time: the caller counts the bytes and may stop.
 * @param lose is told when the stream ends inside a frame or goes on with something else.
 * @throws EventStreamError `bundle_unreadable` for damaged frames, `bundle_bomb` for a window over 128 MiB.
 */
export async function* unpackZstd(
  chunks: AsyncIterable<Buffer>,
  lose: (what: string) => void,
): AsyncGenerator<Buffer> {
  const walker = createFrameWalker();
  const unpacker = createZstdDecompress({ chunkSize: 256 << 10 });
  let isStopped = false;

  async function feed() {
    let passed = 0;
    for await (const chunk of chunks) {
      const good = walker.take(chunk);
      if (good > 0 && !unpacker.write(chunk.subarray(0, good))) await drained();
      passed += good;
      if (isStopped) return;
      if (good < chunk.length) {
        lose(`After byte ${passed} comes something that is no zstd frame.`);
        break;
      }
    }
    if (!walker.isAtFrameEnd) lose("The stream ends inside a zstd frame.");
    unpacker.end();
  }

  function drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        for (const event of EVENTS) unpacker.off(event, done);
        resolve();
      };
      for (const event of EVENTS) unpacker.on(event, done);
    });
  }

  const feeding = feed().catch((error) => {
    unpacker.destroy(error as Error);
  });
  try {
    for await (const bytes of unpacker) yield bytes as Buffer;
  } catch (error) {
    throw described(error);
  } finally {
    isStopped = true;
    unpacker.destroy();
    await feeding;
  }
}

const EVENTS = ["drain", "close", "error"] as const;

function described(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ZSTD_error_frameParameter_windowTooLarge")
    return new EventStreamError("bundle_bomb", "The events need a zstd window of more than 128 MiB.");
  if (!code.startsWith("ZSTD_error")) return error;
  return new EventStreamError(
    "bundle_unreadable",
    `The zstd stream is damaged: ${(error as Error).message}.`,
  );
}
