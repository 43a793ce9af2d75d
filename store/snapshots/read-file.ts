import { BlobDamagedError, type BlobFiles, type ByteLocation } from "../blobs/blobs.ts";
import { DamagedFileError } from "../events/errors.ts";
import { decompressFrameAsync } from "../events/frames.ts";
import { decodeFooter, FOOTER_SIZE } from "./file-footer.ts";
import type { Stored } from "./write-file.ts";

/** The bytes of a snapshot file, wherever they lie. @throws BlobDamagedError */
async function readRange(blobs: BlobFiles, location: ByteLocation, start: number, size: number) {
  const bytes = await new Response(blobs.stream(location, { start, end: start + size })).bytes();
  if (bytes.length !== size) throw new BlobDamagedError(`${location.path} ends before it should.`);
  return bytes;
}

async function unpack(bytes: Uint8Array, size: number, location: ByteLocation): Promise<Buffer> {
  try {
    return await decompressFrameAsync(bytes, size);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    throw new BlobDamagedError(`${location.path} is damaged: ${error.message}`);
  }
}

/**
 * What the writer was given at the end of the file, and how many bytes its text has.
 * @throws BlobDamagedError
 */
export async function readIndex<Index extends object>(
  blobs: BlobFiles,
  location: ByteLocation,
): Promise<{ index: Stored<Index>; bytes: number }> {
  const start = location.size - FOOTER_SIZE;
  const footer = start < 0 ? null : decodeFooter(await readRange(blobs, location, start, FOOTER_SIZE));
  if (!footer || footer.at + footer.storedSize > start)
    throw new BlobDamagedError(`${location.path} has no index at its end.`);
  const stored = await readRange(blobs, location, footer.at, footer.storedSize);
  const text = await unpack(stored, footer.size, location);
  return { index: JSON.parse(text.toString()) as Stored<Index>, bytes: text.length };
}

/** The lines of a block, unpacked. @throws BlobDamagedError */
export async function readBlock(
  blobs: BlobFiles,
  location: ByteLocation,
  { blocks }: Stored<object>,
  number: number,
): Promise<Buffer> {
  const [offset, storedSize, size] = blocks[number]!;
  return unpack(await readRange(blobs, location, offset, storedSize), size, location);
}
