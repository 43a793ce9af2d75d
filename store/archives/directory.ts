import { EventEmitter } from "node:events";
import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import * as yauzl from "yauzl";
import { bomb, unreadable } from "./errors.ts";
import { type ArchiveCaps, checkMemberName, quote } from "./policy.ts";
import type { ZipMember } from "./zip-member.ts";

/** The directory is missing or damaged; the members may still be found by their local headers. */
export class NotAZipDirectory extends Error {
  override name = "NotAZipDirectory";
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_SIZE = 30;
const WINDOW = 1024 * 1024;
const SMALL_READ = 8192;
const HEADER_WINDOW = 128 * 1024;
const MEMBERS_PER_TURN = 1024;
/** The longest directory entry: 46 fixed bytes, then name, extra fields and comment of 64 KiB each. */
const LONGEST_ENTRY = 46 + 3 * 0xffff;
/** Deflate cannot do better than 1032 to 1; a few bytes more for the end of the stream. */
const BEST_RATIO = 1032;

/** What the published types (of yauzl 2) lack. */
type Entry = yauzl.Entry & { fileNameRaw: Buffer };
const { getFileNameLowLevel } = yauzl as unknown as {
  getFileNameLowLevel(
    flags: number,
    name: Buffer,
    extra: yauzl.Entry["extraFields"],
    strict: boolean,
  ): string;
};

/**
 * Members by the central directory, checked against the caps, against each other and against their local headers.
 * @throws NotAZipDirectory when there is none; ArchiveError for what must not be unpacked.
 */
export async function readDirectory(file: FileHandle, size: number, caps: ArchiveCaps): Promise<ZipMember[]> {
  const entries = await centralEntries(file, size, caps);
  let unpacked = 0;
  const known = new Map<string, Entry>();
  for (const { entry, name } of entries) {
    checkMemberName(name, caps.maxDepth);
    checkEntry(entry, name);
    unpacked += entry.uncompressedSize;
    if (unpacked > caps.maxUnpackedBytes)
      throw bomb(`The archive unpacks to more than ${caps.maxUnpackedBytes} bytes, which is the cap.`);
    const twin = known.get(name);
    if (twin && !isSameContent(twin, entry))
      throw unreadable(`The archive has two different members named ${quote(name)}.`);
    if (!twin) known.set(name, entry);
  }
  // Playwright before 1.14 wrote a resource once for every request that got it.
  return locate(
    file,
    size,
    entries.filter(({ entry, name }) => known.get(name) === entry),
  );
}

function isSameContent(a: Entry, b: Entry): boolean {
  return a.crc32 === b.crc32 && a.uncompressedSize === b.uncompressedSize;
}

interface Named {
  entry: Entry;
  name: string;
}

async function centralEntries(file: FileHandle, size: number, caps: ArchiveCaps): Promise<Named[]> {
  const reader = windowReader(file);
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: false };
    yauzl.fromRandomAccessReader(reader, size, options, (error, opened) =>
      error ? reject(asDirectoryProblem(error)) : resolve(opened),
    );
  });
  if (zip.entryCount > caps.maxMembers)
    throw bomb(`The archive has ${zip.entryCount} members; at most ${caps.maxMembers} are taken.`);
  const cursor = () => Number(zip.readEntryCursor);
  const entries: Named[] = [];
  let failure: Error | null = null;
  let wake = () => {};
  zip.on("error", (error: Error) => {
    failure = asDirectoryProblem(error);
    wake();
  });
  zip.on("entry", (entry: Entry) => {
    entries.push({
      entry,
      name: getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true),
    });
    wake();
  });
  for (let wanted = 1; wanted <= zip.entryCount; wanted++) {
    if (!reader.isAhead(cursor())) await reader.fill(cursor());
    zip.readEntry();
    // The reader answers at once, so the entry is here already; only an entry without a name waits for a turn.
    while (entries.length < wanted && !failure) await new Promise<void>((resolve) => (wake = resolve));
    if (failure) throw failure;
  }
  return entries;
}

/** A reader for yauzl that answers from a window of the file, so that a directory costs a few large reads. */
function windowReader(file: FileHandle) {
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  const covers = (from: number, length: number) => from >= start && from + length <= start + window.length;

  /** Whether the entry at `from` lies in the window; a short window reaches to the end of the file. */
  function isAhead(from: number): boolean {
    if (from < start || window.length === 0) return false;
    return window.length < WINDOW || covers(from, LONGEST_ENTRY);
  }

  async function fill(from: number): Promise<void> {
    const next = Buffer.allocUnsafe(WINDOW);
    let done = 0;
    for (;;) {
      const { bytesRead } = await file.read(next, done, WINDOW - done, from + done);
      done += bytesRead;
      if (bytesRead === 0 || done === WINDOW) break;
    }
    window = next.subarray(0, done);
    start = from;
  }

  const reader = Object.assign(new EventEmitter(), {
    fill,
    isAhead,
    ref() {},
    unref() {},
    read(
      target: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: (error: Error | null, bytesRead?: number) => void,
    ) {
      if (covers(position, length)) {
        window.copy(target, offset, position - start, position - start + length);
        return callback(null, length);
      }
      file.read(target, offset, length, position).then(
        ({ bytesRead }) => callback(null, bytesRead),
        (error: Error) => callback(error),
      );
    },
  });
  return reader as unknown as yauzl.RandomAccessReader & { fill: typeof fill; isAhead: typeof isAhead };
}

function asDirectoryProblem(error: Error): Error {
  // A failed system call is no news about the archive.
  if ("syscall" in error) return error;
  return new NotAZipDirectory(error.message);
}

/** @throws ArchiveError for links, devices, encryption, unknown methods and sizes that cannot be true. */
export function checkEntry(
  entry: Pick<
    Entry,
    "generalPurposeBitFlag" | "compressionMethod" | "compressedSize" | "uncompressedSize"
  > & {
    externalFileAttributes?: number;
    versionMadeBy?: number;
  },
  name: string,
): void {
  // Bits 0, 6 and 13: encrypted, strongly encrypted, masked headers.
  if (entry.generalPurposeBitFlag & 0x2041)
    throw unreadable(`The member ${quote(name)} is encrypted; only plain archives are taken.`);
  checkFileType(name, entry.versionMadeBy ?? 0, entry.externalFileAttributes ?? 0);
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw unreadable(
      `The member ${quote(name)} is compressed by method ${entry.compressionMethod}; only stored (0) and deflate (8) are taken.`,
    );
  const isPossible =
    entry.compressionMethod === 0
      ? entry.compressedSize === entry.uncompressedSize
      : entry.uncompressedSize <= entry.compressedSize * BEST_RATIO + 64;
  if (!isPossible || !Number.isSafeInteger(entry.uncompressedSize))
    throw unreadable(
      `The member ${quote(name)} declares ${entry.uncompressedSize} bytes in ${entry.compressedSize} stored ones, which cannot be.`,
    );
}

/** By the file type bits of a Unix mode (POSIX <sys/stat.h>). */
const SPECIAL_FILES = new Map([
  [0o120000, "a symbolic link"],
  [0o020000, "a character device"],
  [0o060000, "a block device"],
  [0o010000, "a pipe"],
  [0o140000, "a socket"],
]);

function checkFileType(name: string, madeBy: number, attributes: number): void {
  const host = madeBy >>> 8;
  // Unix (3) and macOS (19) keep the file mode in the upper half.
  if (host !== 3 && host !== 19) return;
  const type = SPECIAL_FILES.get((attributes >>> 16) & 0o170000);
  if (type) throw unreadable(`The member ${quote(name)} is ${type}; only files and folders are taken.`);
}

/** Reads every local header in one pass over the file and refuses members that lie over each other. */
async function locate(file: FileHandle, size: number, entries: Named[]): Promise<ZipMember[]> {
  const headers = headerWindow(file, size);
  const sorted = entries.toSorted(
    (a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader,
  );
  const members: ZipMember[] = [];
  let end = 0;
  let done = 0;
  for (const { entry, name } of sorted) {
    const at = entry.relativeOffsetOfLocalHeader;
    if (at < end) throw unreadable(`The member ${quote(name)} overlaps another one.`);
    const length = LOCAL_HEADER_SIZE + entry.fileNameRaw.length;
    if (at + length > size) throw new NotAZipDirectory(`${quote(name)} lies past the end of the file`);
    const header = headers.read(at, length);
    if (++done % MEMBERS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    if (header.readUInt32LE(0) !== LOCAL_HEADER)
      throw new NotAZipDirectory(`no local header of ${quote(name)} at byte ${at}`);
    const ownName = header.subarray(LOCAL_HEADER_SIZE);
    if (header.readUInt16LE(26) !== ownName.length || !ownName.equals(entry.fileNameRaw))
      throw unreadable(`The member ${quote(name)} has another name in its own header.`);
    if (header.readUInt16LE(8) !== entry.compressionMethod)
      throw unreadable(`The member ${quote(name)} has another compression method in its own header.`);
    const offset = at + length + header.readUInt16LE(28);
    end = offset + entry.compressedSize;
    if (end > size) throw new NotAZipDirectory(`the member ${quote(name)} reaches past the end of the file`);
    if (name.endsWith("/")) continue;
    members.push({
      name,
      offset,
      storedSize: entry.compressedSize,
      size: entry.uncompressedSize,
      method: entry.compressionMethod as 0 | 8,
      crc32: entry.crc32 >>> 0,
    });
  }
  return members;
}

/**
 * Local headers in rising order, through a small window: tiny members share one read, large ones cost one each. The
 * reads are synchronous, since each takes microseconds and a turn of the event loop costs ten times as much.
 */
function headerWindow(file: FileHandle, size: number) {
  const window = Buffer.allocUnsafe(HEADER_WINDOW);
  let start = 0;
  let filled = 0;
  return {
    /** `length` bytes at `position`, which lie within the file; a name has at most 64 KiB, the window more. */
    read(position: number, length: number): Buffer {
      if (position < start || position + length > start + filled) {
        filled = readSync(
          file.fd,
          window,
          0,
          Math.min(size - position, Math.max(SMALL_READ, length)),
          position,
        );
        start = position;
        if (filled < length)
          throw unreadable(`The archive ends at byte ${position + filled}, inside a header.`);
      }
      return window.subarray(position - start, position - start + length);
    },
  };
}
