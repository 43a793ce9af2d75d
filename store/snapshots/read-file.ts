import {
  createDirectory,
  type SnapshotDirectory,
} from "../../server/trace/format/playwright/snapshot-directory.ts";
import { snapshotOfLine } from "../../server/trace/format/playwright/snapshot-html.ts";
import type { IndexedSnapshot } from "../../server/trace/format/playwright/snapshot-index.ts";
import { numberNodes, type SnapshotTree } from "../../server/trace/format/playwright/snapshot-tree.ts";
import { BlobDamagedError, type BlobFiles, type ByteLocation } from "../blobs/blobs.ts";
import { DamagedFileError } from "../events/errors.ts";
import { decompressFrameAsync } from "../events/frames.ts";
import { decodeFooter, FOOTER_SIZE } from "./file-footer.ts";
import type { StoredIndex } from "./write-file.ts";

/** The index of a snapshot file, which also says where its blocks lie. */
export type StoredDirectory = SnapshotDirectory<StoredIndex>;

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

/** @returns the directory and how many bytes its text has. @throws BlobDamagedError */
export async function readDirectory(
  blobs: BlobFiles,
  location: ByteLocation,
): Promise<{ directory: StoredDirectory; bytes: number }> {
  const start = location.size - FOOTER_SIZE;
  const footer = start < 0 ? null : decodeFooter(await readRange(blobs, location, start, FOOTER_SIZE));
  if (!footer || footer.at + footer.storedSize > start)
    throw new BlobDamagedError(`${location.path} has no index at its end.`);
  const stored = await readRange(blobs, location, footer.at, footer.storedSize);
  const text = await unpack(stored, footer.size, location);
  return { directory: createDirectory(JSON.parse(text.toString()) as StoredIndex), bytes: text.length };
}

/** A recorded page, unpacked: its tree, its doctype, and the length of its line in bytes. */
export interface ReadSnapshot {
  tree: SnapshotTree;
  doctype: string | null;
  bytes: number;
}

/** The lines of a block, unpacked. @throws BlobDamagedError */
export async function readBlock(
  blobs: BlobFiles,
  location: ByteLocation,
  { index }: StoredDirectory,
  number: number,
): Promise<Buffer> {
  const [offset, storedSize, size] = index.blocks[number]!;
  return unpack(await readRange(blobs, location, offset, storedSize), size, location);
}

/** Reads one snapshot's line, and no more than the block it lies in. @throws BlobDamagedError */
export async function readSnapshot(
  blobs: BlobFiles,
  location: ByteLocation,
  directory: StoredDirectory,
  place: IndexedSnapshot,
): Promise<ReadSnapshot> {
  const block = await readBlock(blobs, location, directory, place.block);
  const line = block.toString("utf8", place.at, place.at + place.length);
  const { html, doctype } = snapshotOfLine(line);
  return { tree: numberNodes(html), doctype, bytes: place.length };
}
