import type { ByteCache } from "./cache.ts";
import { decodeColumns, decodeSideBlock } from "./columns.ts";
import { readExactly } from "./disk.ts";
import { decompressBlock } from "./frames.ts";
import { type BlockRef, type EventIndex, lowerBound, StaleIndexError, stepKey } from "./index.ts";
import {
  decodeHeader,
  dictionaryKey,
  type EventFileIdentity,
  FRAME_FIELDS,
  INDEX_HEADER_SIZE,
  type RootJson,
  rootTableOffset,
} from "./index-file.ts";
import { findEntry } from "./key-codec.ts";
import type { FrameInfo } from "./types.ts";

/**
 * Opens an index file: reads its root now, everything else when asked for, through the shared cache.
 * @param owner tells this file's entries in the cache from others'.
 * @throws StaleIndexError when it is damaged, of another version, or belongs to another event file. Its methods too
 * throw it, when a block turns out damaged.
 */
export function openIndexFile(
  fd: number,
  identity: EventFileIdentity,
  cache: ByteCache,
  owner: string,
): EventIndex {
  const header = decodeHeader(read(0, INDEX_HEADER_SIZE));
  if (!header) throw new StaleIndexError("The index has no valid header.");
  if (
    header.identity.size !== identity.size ||
    header.identity.seekTableChecksum !== identity.seekTableChecksum
  )
    throw new StaleIndexError("The index belongs to another event file.");
  const root = block(header.root);
  const textLength = root.readUInt32LE(0);
  const json = JSON.parse(root.toString("utf8", 4, 4 + textLength)) as RootJson;
  const table = root.subarray(rootTableOffset(textLength));
  const frames: FrameInfo[] = [];
  const columnRefs: BlockRef[] = [];
  for (let at = 0; at < table.length; at += FRAME_FIELDS * 8) {
    const field = (index: number) => table.readDoubleLE(at + index * 8);
    frames.push({
      offset: field(0),
      compressedSize: field(1),
      size: field(2),
      count: field(3),
      firstOrdinal: field(4),
      firstSeq: field(5),
      lastSeq: field(6),
      minTs: field(7),
      maxTs: field(8),
    });
    columnRefs.push({ offset: field(9), storedSize: field(10), size: field(11), checksum: field(12) });
  }

  function read(offset: number, length: number): Buffer {
    try {
      return readExactly(fd, offset, length);
    } catch (error) {
      throw new StaleIndexError(`The index cannot be read: ${String(error)}`);
    }
  }

  function block(ref: BlockRef): Buffer {
    const stored = read(ref.offset, ref.storedSize);
    if (Bun.hash.crc32(stored) !== ref.checksum)
      throw new StaleIndexError("A block of the index is damaged.");
    return decompressBlock(stored);
  }

  function cached<Value>(key: string, load: () => Value, bytes: (value: Value) => number): Value {
    const held = cache.get<Value>(owner + key);
    if (held !== undefined) return held;
    const value = load();
    cache.set(owner + key, value, bytes(value));
    return value;
  }

  return {
    info: () => json.info,
    frames,
    kindNames: json.kinds,
    entry(space, name) {
      const key = dictionaryKey(space, space === "kind" ? name : stepKey(name));
      const after = firstAfter(json.keyBlocks, key);
      if (after === 0) return null;
      const { ref } = json.keyBlocks[after - 1]!;
      const entries = cached(
        `k${ref.offset}`,
        () => block(ref),
        () => ref.size + 256,
      );
      return findEntry(entries, key);
    },
    columns: (frame) =>
      cached(
        `c${frame}`,
        () => decodeColumns(block(columnRefs[frame]!)),
        () => columnRefs[frame]!.size + 256,
      ),
    sideBlock: (ref) =>
      cached(
        `b${ref.offset}`,
        () => decodeSideBlock(block(ref)),
        () => ref.size + 256,
      ),
  };
}

/** How many blocks begin at or before the key. */
function firstAfter(blocks: RootJson["keyBlocks"], key: string): number {
  return lowerBound(blocks.length, 1, (index) => (blocks[index]!.first <= key ? 0 : 1));
}
