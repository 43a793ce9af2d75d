import type { ByteLocation, Files } from "../../../store/files/files.ts";
import { readBlock, readIndex } from "../../../store/snapshots/read-file.ts";
import type { Stored } from "../../../store/snapshots/write-file.ts";
import { createDirectory, type SnapshotDirectory } from "../format/playwright/snapshot-directory.ts";
import { snapshotOfLine } from "../format/playwright/snapshot-html.ts";
import type { IndexedSnapshot, SnapshotIndex } from "../format/playwright/snapshot-index.ts";
import { numberNodes, type SnapshotTree } from "../format/playwright/snapshot-tree.ts";

/** The index of a snapshot file, which also says where its blocks lie. */
export type StoredDirectory = SnapshotDirectory<Stored<SnapshotIndex>>;

/** @returns the directory and how many bytes its text has. @throws BlobDamagedError */
export async function readDirectory(
  files: Files,
  location: ByteLocation,
): Promise<{ directory: StoredDirectory; bytes: number }> {
  const { index, bytes } = await readIndex<SnapshotIndex>(files, location);
  return { directory: createDirectory(index), bytes };
}

/** A recorded page, unpacked: its tree, its doctype, and the length of its line in bytes. */
export interface ReadSnapshot {
  tree: SnapshotTree;
  doctype: string | null;
  bytes: number;
}

/** Reads one snapshot's line, and no more than the block it lies in. @throws BlobDamagedError */
export async function readSnapshot(
  files: Files,
  location: ByteLocation,
  { index }: StoredDirectory,
  place: IndexedSnapshot,
): Promise<ReadSnapshot> {
  const block = await readBlock(files, location, index, place.block);
  const line = block.toString("utf8", place.at, place.at + place.length);
  const { html, doctype } = snapshotOfLine(line);
  return { tree: numberNodes(html), doctype, bytes: place.length };
}
