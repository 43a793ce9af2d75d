import { DamagedFileError } from "../events/errors.ts";
import { decompressFrameAsync } from "../events/frames.ts";
import { BlobDamagedError, type ByteLocation, type Files } from "../files/files.ts";
import { decodeFooter, FOOTER_SIZE } from "./file-footer.ts";
import type { Stored } from "./write-file.ts";

/** The bytes of a snapshot file, wherever they lie. @throws BlobDamagedError */
async function readRange(files: Files, location: ByteLocation, start: number, size: number) {
  const bytes = await new Response(files.stream(location, { start, end: start + size })).bytes();
  if (bytes.length !== size)
    throw new BlobDamagedError(`${files.whereabouts(location.key)} ends before it should.`);
  return bytes;
}

async function unpack(
  files: Files,
  bytes: Uint8Array,
  size: number,
  location: ByteLocation,
): Promise<Buffer> {
  try {
    return await decompressFrameAsync(bytes, size);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    throw new BlobDamagedError(`${files.whereabouts(location.key)} is damaged: ${error.message}`);
  }
}

/**
 * What the writer was given at the end of the file, and how many bytes its text has.
 * @throws BlobDamagedError
 */
export async function readIndex<Index extends object>(
  files: Files,
  location: ByteLocation,
): Promise<{ index: Stored<Index>; bytes: number }> {
  const start = location.size - FOOTER_SIZE;
  const footer = start < 0 ? null : decodeFooter(await readRange(files, location, start, FOOTER_SIZE));
  if (!footer || footer.at + footer.storedSize > start)
    throw new BlobDamagedError(`${files.whereabouts(location.key)} has no index at its end.`);
  const stored = await readRange(files, location, footer.at, footer.storedSize);
  const text = await unpack(files, stored, footer.size, location);
  return { index: JSON.parse(text.toString()) as Stored<Index>, bytes: text.length };
}

/** The lines of a block, unpacked. @throws BlobDamagedError */
export async function readBlock(
  files: Files,
  location: ByteLocation,
  { blocks }: Stored<object>,
  number: number,
): Promise<Buffer> {
  const [offset, storedSize, size] = blocks[number]!;
  return unpack(files, await readRange(files, location, offset, storedSize), size, location);
}
