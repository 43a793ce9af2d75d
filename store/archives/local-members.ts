import type { FileHandle } from "node:fs/promises";
import { checkEntry } from "./directory.ts";
import { readExactlyNow } from "./member.ts";
import type { PartialMember, ZipMember } from "./zip-member.ts";

export const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
export const DIRECTORY_SIGNATURES = [0x02014b50, 0x06054b50, 0x06064b50, 0x08064b50];
/** Most members are small. */
const WINDOW = 128 * 1024;

/** A member that its local header tells of, whole. */
export interface Found extends ZipMember {
  /** Where the next header is expected. */
  next: number;
}

/** The member whose local header is at `at`; a partial one when the file ends inside it; null when there is none. */
export async function memberAt(
  file: FileHandle,
  at: number,
  size: number,
): Promise<Found | PartialMember | "directory" | null> {
  if (at + 4 > size) return null;
  const fixed = readExactlyNow(file, at, Math.min(30, size - at));
  const signature = fixed.readUInt32LE(0);
  if (DIRECTORY_SIGNATURES.includes(signature)) return "directory";
  if (signature !== LOCAL_HEADER || fixed.length < 30) return null;
  const flags = fixed.readUInt16LE(6);
  const method = fixed.readUInt16LE(8);
  const nameLength = fixed.readUInt16LE(26);
  const extraLength = fixed.readUInt16LE(28);
  const offset = at + 30 + nameLength + extraLength;
  if (nameLength === 0 || offset > size) return null;
  const rest = readExactlyNow(file, at + 30, nameLength + extraLength);
  const name = rest.subarray(0, nameLength).toString(flags & 0x800 ? "utf8" : "latin1");
  const sizes = declaredSizes(fixed, rest.subarray(nameLength));
  const base = { name, offset, method: method as 0 | 8 };
  if (flags & 0x8 && sizes.storedSize === 0) {
    const described = await findDescriptor(file, offset, size);
    checkEntry(entryOf(flags, method, described ?? { storedSize: 0, size: 0 }), name);
    return described ? { ...base, ...described } : { ...base, storedSize: size - offset };
  }
  checkEntry(entryOf(flags, method, sizes), name);
  const end = offset + sizes.storedSize;
  if (end > size) return { ...base, storedSize: size - offset };
  // With bit 3 the header's checksum may be 0 although the sizes are known: the descriptor has the real one.
  const described = flags & 0x8 ? await descriptorAt(file, end, sizes.storedSize, size) : null;
  return {
    ...base,
    ...sizes,
    crc32: described?.crc32 ?? fixed.readUInt32LE(14),
    next: described?.next ?? end,
  };
}

function entryOf(flags: number, method: number, sizes: { storedSize: number; size: number }) {
  return {
    generalPurposeBitFlag: flags,
    compressionMethod: method,
    compressedSize: sizes.storedSize,
    uncompressedSize: sizes.size,
  };
}

/** Sizes in the local header, or in its ZIP64 extra field (id 1: unpacked size first). */
function declaredSizes(fixed: Buffer, extra: Buffer): { storedSize: number; size: number } {
  const storedSize = fixed.readUInt32LE(18);
  const size = fixed.readUInt32LE(22);
  if (storedSize !== 0xffffffff && size !== 0xffffffff) return { storedSize, size };
  for (let i = 0; i + 4 <= extra.length; i += 4 + extra.readUInt16LE(i + 2)) {
    if (extra.readUInt16LE(i) !== 1 || i + 20 > extra.length) continue;
    return { size: Number(extra.readBigUInt64LE(i + 4)), storedSize: Number(extra.readBigUInt64LE(i + 12)) };
  }
  return { storedSize, size };
}

/** The descriptor behind a member whose sizes are known; null when there is none. */
async function descriptorAt(file: FileHandle, end: number, storedSize: number, size: number) {
  if (end + 16 > size) return null;
  const bytes = readExactlyNow(file, end, Math.min(28, size - end));
  return bytes.readUInt32LE(0) === DESCRIPTOR ? descriptorFrom(bytes, storedSize, end) : null;
}

/**
 * The data descriptor of a member whose size its header does not tell: it names exactly the number of bytes between
 * the member's start and itself, which bytes that merely look like one do not.
 */
async function findDescriptor(file: FileHandle, offset: number, size: number) {
  let found: { storedSize: number; size: number; crc32: number; next: number } | null = null;
  await findSignature(file, offset, size, (word, at, around) => {
    if (word === DESCRIPTOR) found = descriptorFrom(around(0, 28), at - offset, at);
    // Some writers leave the descriptor's signature out: then it lies right before the next header.
    else if (word === LOCAL_HEADER || DIRECTORY_SIGNATURES.includes(word)) {
      const before = around(-12, 12);
      if (before.length === 12 && before.readUInt32LE(4) === at - 12 - offset)
        found = {
          crc32: before.readUInt32LE(0),
          storedSize: before.readUInt32LE(4),
          size: before.readUInt32LE(8),
          next: at,
        };
    }
    return found !== null;
  });
  return found as { storedSize: number; size: number; crc32: number; next: number } | null;
}

/** Sizes of 4 bytes, or of 8 in ZIP64; which of the two is told by what follows, and only by that. */
function descriptorFrom(bytes: Buffer, storedSize: number, at: number) {
  if (bytes.length < 16) return null;
  const crc32 = bytes.readUInt32LE(4);
  const isNarrow = bytes.readUInt32LE(8) === storedSize;
  const isWide = bytes.length >= 24 && Number(bytes.readBigUInt64LE(8)) === storedSize;
  if (isWide && !(isNarrow && isBoundary(bytes, 16)))
    return { crc32, storedSize, size: Number(bytes.readBigUInt64LE(16)), next: at + 24 };
  return isNarrow ? { crc32, storedSize, size: bytes.readUInt32LE(12), next: at + 16 } : null;
}

/** Whether a header begins there, or the file ends. */
function isBoundary(bytes: Buffer, at: number): boolean {
  if (bytes.length < at + 4) return true;
  const word = bytes.readUInt32LE(at);
  return word === LOCAL_HEADER || DIRECTORY_SIGNATURES.includes(word);
}

/**
 * Position of the first "PK" signature from `from` on that `accept` takes; null when there is none. `around(delta,
 * length)` gives bytes near it, fewer at the ends of the file.
 */
export async function findSignature(
  file: FileHandle,
  from: number,
  size: number,
  accept: (word: number, at: number, around: (delta: number, length: number) => Buffer) => boolean,
): Promise<number | null> {
  const MARGIN = 32;
  // One for all windows: fresh memory costs more than reading into it.
  const room = Buffer.allocUnsafe(WINDOW + 2 * MARGIN);
  for (let start = from; start < size; start += WINDOW) {
    const low = Math.max(0, start - MARGIN);
    const window = readExactlyNow(file, low, Math.min(size, start + WINDOW + MARGIN) - low, room);
    const last = Math.min(start + WINDOW, size) - low;
    for (let i = window.indexOf("PK", start - low, "latin1"); i !== -1 && i < last; ) {
      if (i + 4 <= window.length) {
        const at = low + i;
        const base = i;
        const around = (delta: number, length: number) =>
          window.subarray(Math.max(0, base + delta), Math.max(0, base + delta + length));
        if (accept(window.readUInt32LE(i), at, around)) return at;
      }
      i = window.indexOf("PK", i + 1, "latin1");
    }
  }
  return null;
}
