import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync } from "node:zlib";
import { DamagedFileError } from "./errors.ts";

/** Unpacked size at which a frame is closed. A longer line is a frame of its own. */
export const FRAME_SIZE = 1 << 20;

export const ZSTD_MAGIC = 0xfd2fb528;
export const SKIPPABLE_MAGIC = 0x184d2a50;

// The content size lets a reader allocate once, and the checksum makes zstd itself notice a flipped bit.
function compression(level: number) {
  return {
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_checksumFlag]: 1,
      [constants.ZSTD_c_contentSizeFlag]: 1,
    },
  };
}

const compressAsync = promisify(zstdCompress);

/** One zstd frame with content size and checksum, made off the calling thread. */
export function compressFrame(data: Uint8Array, level: number): Promise<Uint8Array> {
  return compressAsync(data, compression(level));
}

/** As `compressFrame`, on the calling thread: at its priority, and without a thread that others wait for. */
export function compressFrameHere(data: Uint8Array, level: number): Uint8Array {
  return zstdCompressSync(data, compression(level));
}

/** The lower half of XXH64: what a zstd frame ends in and the seek table holds. */
export function contentChecksum(data: Uint8Array): number {
  return Number(Bun.hash.xxHash64(data) & 0xffffffffn);
}

/**
 * Unpacks one frame made by `compressFrame`.
 * @throws DamagedFileError when it is not whole, fails its checksum, or unpacks to another size than `size`.
 */
export function decompressFrame(bytes: Uint8Array, size: number): Buffer {
  requireSize(bytes, size);
  try {
    return asBuffer(Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>));
  } catch (error) {
    throw damaged(error);
  }
}

/** As `decompressFrame`, off the calling thread. */
export async function decompressFrameAsync(bytes: Uint8Array, size: number): Promise<Buffer> {
  requireSize(bytes, size);
  try {
    return asBuffer(await Bun.zstdDecompress(bytes as Uint8Array<ArrayBuffer>));
  } catch (error) {
    throw damaged(error);
  }
}

/** Blocks of the index carry their own checksum and size, so the plain one-shot functions do. */
export function compressBlock(raw: Uint8Array, level: number): Uint8Array {
  return Bun.zstdCompressSync(raw as Uint8Array<ArrayBuffer>, { level });
}

export function decompressBlock(stored: Uint8Array): Buffer {
  return asBuffer(Bun.zstdDecompressSync(stored as Uint8Array<ArrayBuffer>));
}

// Checked before unpacking, so that a damaged header cannot make the one-shot decompressor allocate gigabytes.
function requireSize(bytes: Uint8Array, size: number) {
  const header = bytes.length >= 5 ? parseHeader(asBuffer(bytes), 0) : null;
  if (header?.contentSize !== size)
    throw new DamagedFileError("A frame does not have the size its index says.");
}

const damaged = (error: unknown) => new DamagedFileError(`A frame cannot be unpacked: ${String(error)}`);

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

interface FrameHeader {
  /** Bytes up to the first block. */
  headerSize: number;
  contentSize: number | null;
  hasChecksum: boolean;
}

/** Zstandard frame header (RFC 8878, section 3.1.1.1); null when it is not all there. */
export function parseHeader(bytes: Buffer, at: number): FrameHeader | null {
  if (bytes.length < at + 5) return null;
  const descriptor = bytes[at + 4]!;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const windowBytes = singleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  const sizeAt = at + 5 + windowBytes + dictionaryBytes;
  if (bytes.length < sizeAt + sizeBytes) return null;
  return {
    headerSize: sizeAt + sizeBytes - at,
    contentSize: readContentSize(bytes, sizeAt, sizeBytes),
    hasChecksum: (descriptor & 4) !== 0,
  };
}

function readContentSize(bytes: Buffer, at: number, length: number): number | null {
  if (length === 0) return null;
  if (length === 1) return bytes[at]!;
  if (length === 2) return bytes.readUInt16LE(at) + 256;
  if (length === 4) return bytes.readUInt32LE(at);
  return Number(bytes.readBigUInt64LE(at));
}

export type FrameExtent =
  | { type: "frame"; end: number; contentSize: number | null }
  | { type: "skippable"; end: number; magic: number }
  /** The bytes end before the frame does. */
  | { type: "cut" }
  /** No frame starts here. */
  | { type: "unknown" };

/** Where the frame starting at `at` ends, found by walking its block headers without unpacking (RFC 8878, section 3). */
export function frameExtent(bytes: Buffer, at: number): FrameExtent {
  if (bytes.length < at + 4) return { type: "cut" };
  const magic = bytes.readUInt32LE(at);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
    if (bytes.length < at + 8) return { type: "cut" };
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    return end > bytes.length ? { type: "cut" } : { type: "skippable", end, magic };
  }
  if (magic !== ZSTD_MAGIC) return { type: "unknown" };
  const header = parseHeader(bytes, at);
  if (!header) return { type: "cut" };
  let position = at + header.headerSize;
  for (;;) {
    if (position + 3 > bytes.length) return { type: "cut" };
    const block = bytes.readUIntLE(position, 3);
    const isRun = ((block >> 1) & 3) === 1;
    position += 3 + (isRun ? 1 : block >> 3);
    if (block & 1) break;
  }
  const end = position + (header.hasChecksum ? 4 : 0);
  return end > bytes.length ? { type: "cut" } : { type: "frame", end, contentSize: header.contentSize };
}
