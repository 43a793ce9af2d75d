import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder, writeAll } from "./disk.ts";
import { compressFrame, contentChecksum, FRAME_SIZE } from "./frames.ts";
import { createIndexBuilder, type IndexBuilder } from "./index-builder.ts";
import { writeIndexFile } from "./index-file.ts";
import { frameReader } from "./rebuild.ts";
import { scanFrames } from "./scan.ts";
import { encodeSeekTable } from "./seek-table.ts";
import type { EventFileInfo, EventLine } from "./types.ts";

/** The growing event file of a running trace. */
export interface EventAppender {
  /** What is acknowledged so far. */
  readonly info: EventFileInfo;
  /**
   * Adds events; when it resolves they are on disk (fsynced) and readers see them. Lines whose `seq` is not above
   * `info.lastSeq` are already held, by an append that was acknowledged to nobody before a crash, and are passed over.
   * Concurrent calls wait for each other. On failure nothing was added.
   * @throws EventStreamError past the bounds on kinds and steps
   */
  append(lines: readonly EventLine[]): Promise<EventFileInfo>;
  /** Closes the file into its final form: seek table and index. Idempotent. */
  finish(): Promise<EventFileInfo>;
}

/** What the registry of open files needs beyond the public face. */
export interface OpenAppender extends EventAppender {
  index: IndexBuilder;
  fd: number;
  /** Lets go of the file without closing it into its final form. */
  release(): Promise<void>;
}

/**
 * Opens the event file of a running trace, or begins one. After a crash its whole frames are read again and a torn
 * tail is cut off; a seek table written before a crash is cut off too, and comes back with `finish`.
 */
export async function openAppendedFile(path: string, indexPath: string): Promise<OpenAppender> {
  const { file, isNew } = await openOrCreate(path);
  const builder = createIndexBuilder();
  let end = 0;
  let last: Promise<unknown> = Promise.resolve();
  let final: EventFileInfo | null = null;
  try {
    if (isNew) await syncFolder(dirname(path));
    else await recover();
  } catch (error) {
    await file.close();
    throw error;
  }

  async function recover() {
    const { size } = await file.stat();
    end = await scanFrames(file.fd, size, builder);
    if (end === size) return;
    await file.truncate(end);
    await file.sync();
  }

  async function append(lines: readonly EventLine[]): Promise<EventFileInfo> {
    if (final) throw new Error("The event file is closed.");
    const lastSeq = builder.info().lastSeq ?? Number.NEGATIVE_INFINITY;
    const fresh = lines.filter((line) => line.seq > lastSeq);
    if (fresh.length === 0) return builder.info();
    // What is on the disk is in the index, or the next start could not read it.
    builder.checkNext(fresh);
    const frames = splitFrames(fresh);
    const stored = await Promise.all(frames.map((frame) => compressFrame(frame.data, 3)));
    try {
      await writeAll(file, Buffer.concat(stored), end);
      await file.datasync();
    } catch (error) {
      await file.truncate(end);
      throw error;
    }
    frames.forEach(({ data, lines: held, offsets }, index) => {
      held.forEach((line, i) => {
        builder.add(line, offsets[i]!, (offsets[i + 1] ?? data.length) - offsets[i]!);
      });
      const compressedSize = stored[index]!.length;
      const place = { offset: end, compressedSize, size: data.length, checksum: contentChecksum(data) };
      builder.placeFrame(builder.cutFrame(), place);
      end += compressedSize;
    });
    return builder.info();
  }

  async function finish(): Promise<EventFileInfo> {
    if (final) return final;
    const seekTable = encodeSeekTable([...builder.seekEntries]);
    const identity = { size: end + seekTable.length, seekTableChecksum: Bun.hash.crc32(seekTable) };
    try {
      // What a failed append may have left.
      await file.truncate(end);
      await writeAll(file, seekTable, end);
      await file.sync();
      await writeIndexFile({ builder, indexPath, identity, readFrame: frameReader(file.fd, builder) });
    } catch (error) {
      // Capture may go on, where the seek table would be in the way.
      await file.truncate(end);
      throw error;
    }
    final = { ...builder.info(), storedSize: identity.size };
    await file.close();
    return final;
  }

  function afterLast<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  return {
    index: builder,
    fd: file.fd,
    get info() {
      return final ?? builder.info();
    },
    append: (lines) => afterLast(() => append(lines)),
    finish: () => afterLast(finish),
    release: () => afterLast(async () => final ?? (await file.close())).then(() => {}),
  };
}

async function openOrCreate(path: string): Promise<{ file: FileHandle; isNew: boolean }> {
  try {
    return { file: await open(path, "wx+", 0o600), isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return { file: await open(path, "r+"), isNew: false };
  }
}

interface FilledFrame {
  data: Buffer;
  lines: EventLine[];
  offsets: number[];
}

function splitFrames(lines: EventLine[]): FilledFrame[] {
  const frames: FilledFrame[] = [];
  let parts: string[] = [];
  let open: Omit<FilledFrame, "data"> = { lines: [], offsets: [] };
  let size = 0;
  function close() {
    frames.push({ ...open, data: Buffer.from(`${parts.join("\n")}\n`) });
    parts = [];
    open = { lines: [], offsets: [] };
    size = 0;
  }
  for (const line of lines) {
    const length = Buffer.byteLength(line.line) + 1;
    if (size > 0 && size + length > FRAME_SIZE) close();
    parts.push(line.line);
    open.lines.push(line);
    open.offsets.push(size);
    size += length;
  }
  if (size > 0) close();
  return frames;
}
