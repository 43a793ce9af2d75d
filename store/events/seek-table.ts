import { asBuffer } from "./frames.ts";

/**
 * The seek table of zstd's seekable format 0.1.0 (zstd, contrib/seekable_format): a skippable frame at the end of
 * the file with the sizes and the checksum of every frame before it.
 */
export interface SeekEntry {
  compressedSize: number;
  size: number;
  /** Lower half of the XXH64 of the unpacked frame. */
  checksum: number;
}

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
export const SEEK_FOOTER_SIZE = 9;
const CHECKSUM_FLAG = 0x80;
const RESERVED_BITS = 0x7c;

export function encodeSeekTable(entries: SeekEntry[]): Uint8Array {
  const content = entries.length * 12 + SEEK_FOOTER_SIZE;
  const out = Buffer.alloc(8 + content);
  out.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  out.writeUInt32LE(content, 4);
  let at = 8;
  for (const entry of entries) {
    out.writeUInt32LE(entry.compressedSize, at);
    out.writeUInt32LE(entry.size, at + 4);
    out.writeUInt32LE(entry.checksum, at + 8);
    at += 12;
  }
  out.writeUInt32LE(entries.length, at);
  out[at + 4] = CHECKSUM_FLAG;
  out.writeUInt32LE(SEEKABLE_MAGIC, at + 5);
  return out;
}

/** Length of the whole seek table frame, told by the file's last 9 bytes; null when they are no seek table footer. */
export function seekTableSize(footer: Uint8Array): number | null {
  const bytes = asBuffer(footer);
  if (bytes.length < SEEK_FOOTER_SIZE) return null;
  const at = bytes.length - SEEK_FOOTER_SIZE;
  const descriptor = bytes[at + 4]!;
  if (bytes.readUInt32LE(at + 5) !== SEEKABLE_MAGIC || (descriptor & RESERVED_BITS) !== 0) return null;
  const entrySize = descriptor & CHECKSUM_FLAG ? 12 : 8;
  return 8 + bytes.readUInt32LE(at) * entrySize + SEEK_FOOTER_SIZE;
}

/** Reads a whole seek table frame as written by `encodeSeekTable`; null when it is none. */
export function parseSeekTable(frame: Uint8Array): SeekEntry[] | null {
  const bytes = asBuffer(frame);
  if (bytes.length < 8 + SEEK_FOOTER_SIZE || seekTableSize(bytes) !== bytes.length) return null;
  if (bytes.readUInt32LE(0) !== SKIPPABLE_MAGIC || bytes.readUInt32LE(4) !== bytes.length - 8) return null;
  if ((bytes[bytes.length - 5]! & CHECKSUM_FLAG) === 0) return null;
  const entries: SeekEntry[] = [];
  for (let at = 8; at + SEEK_FOOTER_SIZE < bytes.length; at += 12)
    entries.push({
      compressedSize: bytes.readUInt32LE(at),
      size: bytes.readUInt32LE(at + 4),
      checksum: bytes.readUInt32LE(at + 8),
    });
  return entries;
}
