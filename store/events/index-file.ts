import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { threadId } from "node:worker_threads";
import { syncFolder, writeAll } from "./disk.ts";
import { compressBlock } from "./frames.ts";
import type { BlockRef, KeyEntry, KeySpace } from "./index.ts";
import type { IndexBuilder } from "./index-builder.ts";
import { createVarintWriter, writeEntry } from "./key-codec.ts";
import { chooseSideKeys, copySideLines } from "./side-lines.ts";
import type { EventFileInfo } from "./types.ts";

/*
 * events.index, version 1. Integers are little-endian, floating-point numbers are binary64.
 *
 * header (64 bytes): magic "TDEVIDX\0", u32 version, u32 CRC-32 of the header with this field zero,
 *   f64 size of the event file it belongs to, u32 CRC-32 of that file's seek table, u32 0,
 *   root block: f64 offset, u32 stored size, u32 size, u32 CRC-32; zeros
 * blocks: each one zstd frame; their places are in the root or in other blocks
 *   columns of every frame (columns.ts), copied lines (side-lines.ts), entries of kinds and steps sorted by key (key-codec.ts)
 * root block: u32 length of a JSON text (`RootJson`), the text, then per frame 13 f64 (`FRAME_FIELDS`, padded to 8)
 */
export const INDEX_MAGIC = "TDEVIDX\0";
export const INDEX_VERSION = 1;
export const INDEX_HEADER_SIZE = 64;
export const FRAME_FIELDS = 13;

// One level for every index, whatever the level of the events: an index made anew has the same bytes as the lost one.
const LEVEL = 3;
// Small, for an entry is looked for from the start of its block.
const KEY_BLOCK_BYTES = 8 << 10;

/** The part of the root that is not numbers: totals, kinds by their number, first key and place of every block of entries. */
export interface RootJson {
  info: EventFileInfo;
  kinds: string[];
  keyBlocks: { first: string; ref: BlockRef }[];
}

/** Kinds and steps share one sorted dictionary. */
export const dictionaryKey = (space: KeySpace, name: string) => `${space === "kind" ? "k" : "s"}${name}`;

/** Identity of the event file an index belongs to. */
export interface EventFileIdentity {
  size: number;
  /** CRC-32 of the seek table, which holds size and checksum of every frame. */
  seekTableChecksum: number;
}

// Two readers, in two threads even, may make the same lost index anew at the same time.
let writes = 0;

/**
 * Writes the index of a closed event file: into a file beside it, fsynced, then renamed into place.
 * @param readFrame unpacks a frame of the event file.
 */
export async function writeIndexFile(options: {
  builder: IndexBuilder;
  indexPath: string;
  identity: EventFileIdentity;
  readFrame: (frame: number) => Promise<Buffer>;
}): Promise<void> {
  const { builder, indexPath, identity, readFrame } = options;
  const partial = `${indexPath}.${process.pid}-${threadId}-${++writes}.partial`;
  const file = await open(partial, "w", 0o600);
  try {
    let end = INDEX_HEADER_SIZE;
    let pending: Uint8Array[] = [];
    let pendingBytes = 0;

    async function flush() {
      if (pendingBytes === 0) return;
      const bytes = Buffer.concat(pending);
      await writeAll(file, bytes, end - pendingBytes);
      pending = [];
      pendingBytes = 0;
    }

    async function putStored(stored: Uint8Array, size: number): Promise<BlockRef> {
      const ref = { offset: end, storedSize: stored.length, size, checksum: Bun.hash.crc32(stored) };
      pending.push(stored);
      pendingBytes += stored.length;
      end += stored.length;
      if (pendingBytes >= 1 << 20) await flush();
      return ref;
    }

    const put = (raw: Buffer) => putStored(compressBlock(raw, LEVEL), raw.length);

    const columnRefs: BlockRef[] = [];
    for (let frame = 0; frame < builder.frames.length; frame++) {
      const { bytes, size } = builder.columnBlock(frame);
      columnRefs.push(await putStored(bytes, size));
    }
    const side = new Map<string, KeyEntry["side"]>();
    for (const keys of chooseSideKeys(builder)) {
      const refs = await copySideLines(keys, builder, readFrame, put);
      keys.forEach((key, index) => {
        side.set(dictionaryKey(key.space, key.name), refs[index]!);
      });
    }
    const keyBlocks = await putEntries(builder, side, put);
    const json: RootJson = {
      info: { ...builder.info(), storedSize: identity.size },
      kinds: [...builder.kindNames],
      keyBlocks,
    };
    const root = await put(encodeRoot(json, builder, columnRefs));
    await flush();
    await writeAll(file, encodeHeader(identity, root), 0);
    await file.sync();
    await file.close();
    await rename(partial, indexPath);
  } catch (error) {
    await file.close();
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(dirname(indexPath));
}

async function putEntries(
  builder: IndexBuilder,
  side: Map<string, KeyEntry["side"]>,
  put: (raw: Buffer) => Promise<BlockRef>,
): Promise<RootJson["keyBlocks"]> {
  const entries: { key: string; entry: KeyEntry }[] = [];
  for (const space of ["kind", "step"] as const)
    for (const { name, entry } of builder.keys(space))
      entries.push({ key: dictionaryKey(space, name), entry });
  entries.sort((a, b) => (a.key < b.key ? -1 : 1));
  const blocks: RootJson["keyBlocks"] = [];
  const out = createVarintWriter();
  let first = "";
  for (const { key, entry } of entries) {
    if (out.length === 0) first = key;
    writeEntry(out, key, { ...entry, side: side.get(key) ?? [] });
    if (out.length >= KEY_BLOCK_BYTES) blocks.push({ first, ref: await put(out.take()) });
  }
  if (out.length > 0) blocks.push({ first, ref: await put(out.take()) });
  return blocks;
}

function encodeRoot(json: RootJson, builder: IndexBuilder, columnRefs: BlockRef[]): Buffer {
  const text = Buffer.from(JSON.stringify(json));
  const tableAt = rootTableOffset(text.length);
  const out = Buffer.alloc(tableAt + builder.frames.length * FRAME_FIELDS * 8);
  out.writeUInt32LE(text.length, 0);
  text.copy(out, 4);
  let at = tableAt;
  builder.frames.forEach((frame, index) => {
    const columns = columnRefs[index]!;
    for (const value of [
      frame.offset,
      frame.compressedSize,
      frame.size,
      frame.count,
      frame.firstOrdinal,
      frame.firstSeq,
      frame.lastSeq,
      frame.minTs,
      frame.maxTs,
      columns.offset,
      columns.storedSize,
      columns.size,
      columns.checksum,
    ])
      at = out.writeDoubleLE(value, at);
  });
  return out;
}

/** Where the numbers of the root begin. */
export const rootTableOffset = (textLength: number) => Math.ceil((4 + textLength) / 8) * 8;

function encodeHeader(identity: EventFileIdentity, root: BlockRef): Buffer {
  const header = Buffer.alloc(INDEX_HEADER_SIZE);
  header.write(INDEX_MAGIC, 0, "latin1");
  header.writeUInt32LE(INDEX_VERSION, 8);
  header.writeDoubleLE(identity.size, 16);
  header.writeUInt32LE(identity.seekTableChecksum, 24);
  header.writeDoubleLE(root.offset, 32);
  header.writeUInt32LE(root.storedSize, 40);
  header.writeUInt32LE(root.size, 44);
  header.writeUInt32LE(root.checksum, 48);
  header.writeUInt32LE(Bun.hash.crc32(header), 12);
  return header;
}

/** Reads what `encodeHeader` wrote; null when it is anything else. */
export function decodeHeader(bytes: Uint8Array): { identity: EventFileIdentity; root: BlockRef } | null {
  const header = Buffer.from(bytes);
  if (header.length !== INDEX_HEADER_SIZE || header.toString("latin1", 0, 8) !== INDEX_MAGIC) return null;
  const checksum = header.readUInt32LE(12);
  header.writeUInt32LE(0, 12);
  if (header.readUInt32LE(8) !== INDEX_VERSION || Bun.hash.crc32(header) !== checksum) return null;
  return {
    identity: { size: header.readDoubleLE(16), seekTableChecksum: header.readUInt32LE(24) },
    root: {
      offset: header.readDoubleLE(32),
      storedSize: header.readUInt32LE(40),
      size: header.readUInt32LE(44),
      checksum: header.readUInt32LE(48),
    },
  };
}
