import { readExactly } from "./disk.ts";
import { DamagedFileError } from "./errors.ts";
import { contentChecksum, decompressFrameAsync, frameExtent } from "./frames.ts";
import type { IndexBuilder } from "./index-builder.ts";
import { allLineStarts } from "./line-starts.ts";
import type { EventMeta } from "./types.ts";

const READ_SIZE = 1 << 20;

/**
 * Reads every whole frame of an event file into an index, and stops at the first thing that is none: the seek table,
 * the file's end, or a frame that was torn by a crash. Lets other work run between frames.
 * @returns the end of the last whole frame.
 */
export async function scanFrames(fd: number, size: number, builder: IndexBuilder): Promise<number> {
  let window: Buffer = Buffer.alloc(0);
  let windowAt = 0;
  let at = 0;
  while (at < size) {
    const extent = frameExtent(window, at - windowAt);
    if (extent.type === "cut" && windowAt + window.length < size) {
      const length = Math.min(size - at, Math.max(READ_SIZE, window.length * 2));
      window = readExactly(fd, at, length);
      windowAt = at;
      continue;
    }
    if (extent.type !== "frame" || extent.contentSize === null) break;
    const stored = window.subarray(at - windowAt, extent.end);
    if (!(await takeFrame(stored, at, extent.contentSize, builder))) break;
    at += stored.length;
  }
  return at;
}

async function takeFrame(
  stored: Buffer,
  offset: number,
  contentSize: number,
  builder: IndexBuilder,
): Promise<boolean> {
  let data: Buffer;
  try {
    data = await decompressFrameAsync(stored, contentSize);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    // A crash can leave a frame of the right length with the wrong bytes: its checksum says so.
    return false;
  }
  addLines(data, builder);
  builder.placeFrame(builder.cutFrame(), {
    offset,
    compressedSize: stored.length,
    size: data.length,
    checksum: contentChecksum(data),
  });
  return true;
}

/** Adds the events of an unpacked frame to the frame being filled. */
function addLines(data: Buffer, builder: IndexBuilder) {
  const starts = allLineStarts(data);
  for (let i = 0; i + 1 < starts.length; i++) {
    const event = JSON.parse(data.toString("utf8", starts[i]!, starts[i + 1]! - 1)) as EventMeta;
    builder.add(event, starts[i]!, starts[i + 1]! - starts[i]!);
  }
}
