import { BlobDamagedError, type BlobFiles, type ByteLocation } from "../../../store/blobs/blobs.ts";
import { DamagedFileError } from "../../../store/events/errors.ts";
import { decompressFrameAsync } from "../../../store/events/frames.ts";
import { snapshotOfLine } from "../format/playwright/snapshot-html.ts";
import type { IndexedFrame, IndexedSnapshot } from "../format/playwright/snapshot-index.ts";
import { withoutHash } from "../format/playwright/snapshot-index.ts";
import { numberNodes, type SnapshotTree } from "../format/playwright/snapshot-tree.ts";
import { decodeFooter, FOOTER_SIZE } from "./file-footer.ts";
import type { StoredIndex } from "./write-file.ts";

/** A snapshot by its numbers: of its frame, and among that frame's. */
export interface SnapshotAddress {
  frame: number;
  snapshot: number;
}

/** What is asked for; with neither page nor frame it is the main frame of the first page that has the name. */
export interface SnapshotQuery {
  name: string;
  page?: string | undefined;
  frame?: string | undefined;
}

/** The index of a snapshot file with what is looked up in it. */
export interface SnapshotDirectory {
  index: StoredIndex;
  find(query: SnapshotQuery): SnapshotAddress | null;
  /** Number of the content that a page would have been given for a URL at that moment. */
  contentFor(address: SnapshotAddress, url: string): number | null;
  urlNumber(url: string): number | null;
}

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
): Promise<{ directory: SnapshotDirectory; bytes: number }> {
  const start = location.size - FOOTER_SIZE;
  const footer = start < 0 ? null : decodeFooter(await readRange(blobs, location, start, FOOTER_SIZE));
  if (!footer || footer.at + footer.storedSize > start)
    throw new BlobDamagedError(`${location.path} has no index at its end.`);
  const stored = await readRange(blobs, location, footer.at, footer.storedSize);
  const text = await unpack(stored, footer.size, location);
  return { directory: createDirectory(JSON.parse(text.toString()) as StoredIndex), bytes: text.length };
}

function createDirectory(index: StoredIndex): SnapshotDirectory {
  const byName = new Map<string, SnapshotAddress[]>();
  for (const [frame, { snapshots }] of index.frames.entries())
    for (const [snapshot, { name }] of snapshots.entries()) {
      const found = byName.get(name);
      if (found) found.push({ frame, snapshot });
      else byName.set(name, [{ frame, snapshot }]);
    }
  const urls = new Map(index.urls.map((url, number) => [url, number]));
  const responses = new Map<number, { frame: string; time: number; content: number }[]>();
  for (const [url, frame, time, content] of index.responses) {
    const found = responses.get(url);
    if (found) found.push({ frame, time, content });
    else responses.set(url, [{ frame, time, content }]);
  }
  for (const list of responses.values()) list.sort((a, b) => a.time - b.time);

  return {
    index,
    urlNumber: (url) => urls.get(withoutHash(url)) ?? null,
    find({ name, page, frame }) {
      const candidates = (byName.get(name) ?? []).filter(({ frame: at }) => {
        const known = index.frames[at]!;
        return (!page || known.page === page) && (!frame || known.frame === frame);
      });
      const main = candidates.find(({ frame: at }) => index.frames[at]!.is_main_frame);
      return main ?? candidates[0] ?? null;
    },
    contentFor(address, url) {
      const number = urls.get(withoutHash(url));
      if (number === undefined) return null;
      const { frame, snapshots } = index.frames[address.frame]!;
      const { time, overrides } = snapshots[address.snapshot]!;
      const override = overrides.find(([known]) => known === number);
      if (override) return override[1];
      const before = (responses.get(number) ?? []).filter((response) => response.time <= time);
      const own = before.findLast((response) => response.frame === frame);
      return (own ?? before.at(-1))?.content ?? null;
    },
  };
}

/** A snapshot as its numbers name it; null when there is none. */
export function snapshotAt(
  { index }: SnapshotDirectory,
  { frame, snapshot }: SnapshotAddress,
): { frame: IndexedFrame; snapshot: IndexedSnapshot } | null {
  const found = index.frames[frame];
  const one = found?.snapshots[snapshot];
  return found && one ? { frame: found, snapshot: one } : null;
}

/** A recorded page, unpacked: its tree, its doctype, and the length of its line in bytes. */
export interface ReadSnapshot {
  tree: SnapshotTree;
  doctype: string | null;
  bytes: number;
}

/** Reads one snapshot's line, and no more than the block it lies in. @throws BlobDamagedError */
export async function readSnapshot(
  blobs: BlobFiles,
  location: ByteLocation,
  { index }: SnapshotDirectory,
  place: IndexedSnapshot,
): Promise<ReadSnapshot> {
  const [offset, storedSize, size] = index.blocks[place.block]!;
  const block = await unpack(await readRange(blobs, location, offset, storedSize), size, location);
  const line = block.toString("utf8", place.at, place.at + place.length);
  const { html, doctype } = snapshotOfLine(line);
  return { tree: numberNodes(html), doctype, bytes: place.length };
}
