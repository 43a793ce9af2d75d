import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { readExactly, syncFolder, writeAll } from "./disk.ts";
import {
  compressFrame,
  compressFrameHere,
  contentChecksum,
  decompressFrameAsync,
  FRAME_SIZE,
} from "./frames.ts";
import { type CutFrame, createIndexBuilder } from "./index-builder.ts";
import { writeIndexFile } from "./index-file.ts";
import { encodeSeekTable } from "./seek-table.ts";
import type { EventFileInfo, EventMeta } from "./types.ts";

export interface EventWriter {
  /**
   * Adds one line (without its line end). Await the promise when there is one: memory stays flat by it.
   * @throws EventStreamError when `seq` does not rise, or past the bounds on kinds and steps.
   */
  append(line: string, event: EventMeta): void | Promise<void>;
  /** Writes the seek table and the index, fsyncs both and puts them in place. */
  finish(): Promise<EventFileInfo>;
  /** Leaves no file. For use after a failed `append` or `finish` too. */
  abort(): Promise<void>;
}

/**
 * Writes an event file and its index. Nothing is at either path before `finish` has succeeded.
 * @param options.level zstd level, 3 when absent.
 * @param options.isPatient keeps the compression on the calling thread, which is slower and leaves the others to those who wait.
 */
export async function createEventWriter(options: {
  path: string;
  indexPath: string;
  level?: number;
  isPatient?: boolean;
}): Promise<EventWriter> {
  const { path, indexPath, level = 3 } = options;
  const compress = options.isPatient ? compressFrameHere : compressFrame;
  const partial = `${path}.partial`;
  const file = await open(partial, "w+", 0o600);
  const builder = createIndexBuilder();
  let text = Buffer.allocUnsafe(FRAME_SIZE);
  let used = 0;
  let end = 0;
  let storing: Promise<void> = Promise.resolve();
  let isOpen = true;
  const placed = [partial];

  /** The frame is compressed and written off this thread while the next one fills. */
  async function closeFrame(): Promise<void> {
    const data = text.subarray(0, used);
    const cut = builder.cutFrame();
    text = Buffer.allocUnsafe(FRAME_SIZE);
    used = 0;
    const before = storing;
    storing = before.then(() => store(cut, data));
    // Its failure is met by the next await of `storing`; until then it is not an unhandled one.
    storing.catch(() => {});
    await before;
  }

  async function store(cut: CutFrame, data: Buffer) {
    const stored = await compress(data, level);
    await writeAll(file, stored, end);
    builder.placeFrame(cut, {
      offset: end,
      compressedSize: stored.length,
      size: data.length,
      checksum: contentChecksum(data),
    });
    end += stored.length;
  }

  // Three bytes per UTF-16 unit is the most UTF-8 takes; only a line that may not fit is measured.
  function overflows(line: string): boolean {
    if (used + line.length * 3 + 1 <= text.length) return false;
    return used + Buffer.byteLength(line) + 1 > text.length;
  }

  function put(line: string, event: EventMeta) {
    if (overflows(line)) text = Buffer.allocUnsafe(Buffer.byteLength(line) + 1);
    const written = text.write(line, used, "utf8");
    text[used + written] = 10;
    builder.add(event, used, written + 1);
    used += written + 1;
  }

  async function close() {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  }

  async function readFrame(frame: number): Promise<Buffer> {
    const { offset, compressedSize, size } = builder.frames[frame]!;
    return decompressFrameAsync(readExactly(file.fd, offset, compressedSize), size);
  }

  return {
    append(line, event) {
      if (used > 0 && overflows(line)) return closeFrame().then(() => put(line, event));
      put(line, event);
    },
    async finish() {
      if (used > 0) await closeFrame();
      await storing;
      const seekTable = encodeSeekTable([...builder.seekEntries]);
      await writeAll(file, seekTable, end);
      await file.sync();
      const identity = { size: end + seekTable.length, seekTableChecksum: Bun.hash.crc32(seekTable) };
      await rename(partial, path);
      placed.push(path);
      await syncFolder(dirname(path));
      await writeIndexFile({ builder, indexPath, identity, readFrame });
      placed.push(indexPath);
      await close();
      return { ...builder.info(), storedSize: identity.size };
    },
    async abort() {
      await storing.catch(() => {});
      await close();
      await Promise.all(placed.map((leftover) => rm(leftover, { force: true })));
    },
  };
}
