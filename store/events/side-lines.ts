import { encodeSideBlock } from "./columns.ts";
import type { BlockRef, SideBlockRef } from "./index.ts";
import type { IndexBuilder } from "./index-builder.ts";
import { lineStarts } from "./line-starts.ts";
import { uint16List, uint32List } from "./lists.ts";

/** A kind or step all of whose lines are copied into the index. */
export interface SideKey {
  space: "kind" | "step";
  name: string;
  number: number;
  bytes: number;
  frames: Uint32Array;
}

/** A page of the largest usual length should not have to unpack much more than this. */
const PAGE_LINES = 200;
const UNPACK_TARGET = 1.5 * (1 << 20);
/** At most the whole text again, and never more than this. */
const MAX_COPIED = 256 << 20;
const PASS_BYTES = 32 << 20;
const BLOCK_BYTES = 64 << 10;

/**
 * Kinds and steps whose lines are so scattered that a page of them would unpack many frames; the rarest first, as
 * many as the byte budget takes. Grouped so that each group fits into memory.
 */
export function chooseSideKeys(builder: IndexBuilder): SideKey[][] {
  const frameBytes = builder.info().size / Math.max(1, builder.frames.length);
  const candidates: (SideKey & { count: number })[] = [];
  for (const space of ["kind", "step"] as const)
    for (const { name, bytes, entry } of builder.keys(space)) {
      const count = entry.counts.reduce((sum, n) => sum + n, 0);
      const frames = distinct(entry.frames);
      const framesPerPage = Math.min(frames.length, (PAGE_LINES * frames.length) / count);
      if (framesPerPage * frameBytes > UNPACK_TARGET)
        candidates.push({ space, name, number: entry.number, bytes, frames, count });
    }
  candidates.sort((a, b) => a.count - b.count);
  const groups: SideKey[][] = [];
  let budget = Math.min(MAX_COPIED, builder.info().size);
  let room = 0;
  for (const { count: _, ...key } of candidates) {
    if (key.bytes > budget || key.bytes > PASS_BYTES) continue;
    budget -= key.bytes;
    if (key.bytes > room) {
      groups.push([]);
      room = PASS_BYTES;
    }
    groups.at(-1)!.push(key);
    room -= key.bytes;
  }
  return groups;
}

function distinct(sorted: Uint32Array): Uint32Array {
  return sorted.filter((frame, index) => index === 0 || frame !== sorted[index - 1]);
}

/**
 * Copies the lines of the keys of one group, reading only the frames they are in.
 * @param put stores a block and tells where.
 * @returns for each key its blocks in the order of the file.
 */
export async function copySideLines(
  keys: SideKey[],
  builder: IndexBuilder,
  readFrame: (frame: number) => Promise<Buffer>,
  put: (raw: Buffer) => Promise<BlockRef>,
): Promise<SideBlockRef[][]> {
  const slots = keys.map((key) => createSlot(key.bytes));
  const byKind = new Map<number, Slot>();
  const byStep = new Map<number, Slot>();
  const frames = new Set<number>();
  keys.forEach((key, index) => {
    (key.space === "kind" ? byKind : byStep).set(key.number, slots[index]!);
    for (const frame of key.frames) frames.add(frame);
  });
  for (const frame of [...frames].sort((a, b) => a - b)) {
    const data = await readFrame(frame);
    const columns = builder.columns(frame);
    const starts = lineStarts(data, columns.count);
    const { firstOrdinal } = builder.frames[frame]!;
    for (let i = 0; i < columns.count; i++)
      for (const slot of [byKind.get(columns.kinds[i]!), byStep.get(columns.steps[i]!)]) {
        if (!slot) continue;
        const length = starts[i + 1]! - starts[i]!;
        if (!slot.fits(length)) await slot.flush(put);
        slot.ordinals.push(firstOrdinal + i);
        slot.steps.push(columns.steps[i]!);
        slot.kinds.push(columns.kinds[i]!);
        slot.addText(data, starts[i]!, length);
      }
  }
  for (const slot of slots) await slot.flush(put);
  return slots.map((slot) => slot.refs);
}

type Slot = ReturnType<typeof createSlot>;

function createSlot(totalBytes: number) {
  let text = Buffer.allocUnsafe(0);
  let used = 0;
  let left = totalBytes;
  const lists = { ordinals: uint32List(), steps: uint32List(), kinds: uint16List(), ends: uint32List() };
  const refs: SideBlockRef[] = [];
  return {
    ...lists,
    refs,
    fits: (length: number) => used === 0 || used + length <= BLOCK_BYTES,
    addText(data: Buffer, start: number, length: number) {
      if (used + length > text.length) {
        const grown = Buffer.allocUnsafe(Math.max(length, Math.min(BLOCK_BYTES, left)));
        text.copy(grown, 0, 0, used);
        text = grown;
      }
      data.copy(text, used, start, start + length);
      used += length;
      lists.ends.push(used);
    },
    async flush(put: (raw: Buffer) => Promise<BlockRef>) {
      const count = lists.ordinals.length;
      if (count === 0) return;
      const block = {
        count,
        ordinals: lists.ordinals.slice(),
        steps: lists.steps.slice(),
        kinds: lists.kinds.slice(),
        ends: lists.ends.slice(),
        text: text.subarray(0, used),
      };
      const ref = await put(encodeSideBlock(block));
      refs.push({ ...ref, count, firstOrdinal: block.ordinals[0]!, lastOrdinal: block.ordinals[count - 1]! });
      for (const list of Object.values(lists)) list.clear();
      left -= used;
      used = 0;
    },
  };
}
