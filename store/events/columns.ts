import type { Columns, SideBlock } from "./index.ts";

/** Every how many lines the index notes the byte offset; the lines between are found by their line ends. */
export const LINE_STRIDE = 16;

const HEADER = 8;

/** Lays the columns of a frame out so that decoding needs no copy: widest elements first. */
export function encodeColumns(columns: Columns): Buffer {
  const { count, kinds, steps, lineOffsets, seqs } = columns;
  const seqBytes = seqs ? count * 8 : 0;
  const out = Buffer.alloc(HEADER + seqBytes + count * 4 + lineOffsets.length * 4 + count * 2);
  out.writeUInt32LE(count, 0);
  out.writeUInt32LE(seqs ? 1 : 0, 4);
  let at = HEADER;
  for (const column of seqs ? [seqs, steps, lineOffsets, kinds] : [steps, lineOffsets, kinds]) {
    out.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += column.byteLength;
  }
  return out;
}

/** @throws RangeError when the bytes are too short for what they say. */
export function decodeColumns(bytes: Buffer): Columns {
  const raw = aligned(bytes);
  const count = raw.readUInt32LE(0);
  const hasSeqs = raw.readUInt32LE(4) === 1;
  let at = raw.byteOffset + HEADER;
  const seqs = hasSeqs ? new Float64Array(raw.buffer, at, count) : null;
  if (hasSeqs) at += count * 8;
  const steps = new Uint32Array(raw.buffer, at, count);
  at += count * 4;
  const lineOffsets = new Uint32Array(raw.buffer, at, Math.ceil(count / LINE_STRIDE));
  at += lineOffsets.byteLength;
  return { count, kinds: new Uint16Array(raw.buffer, at, count), steps, lineOffsets, seqs };
}

/** A block of copied lines: numbers first, then the NDJSON text. */
export function encodeSideBlock(block: SideBlock): Buffer {
  const { count, ordinals, steps, ends, kinds, text } = block;
  const out = Buffer.alloc(HEADER + count * 14 + text.length);
  out.writeUInt32LE(count, 0);
  let at = HEADER;
  for (const column of [ordinals, steps, ends, kinds, text]) {
    out.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += column.byteLength;
  }
  return out;
}

/** @throws RangeError when the bytes are too short for what they say. */
export function decodeSideBlock(bytes: Buffer): SideBlock {
  const raw = aligned(bytes);
  const count = raw.readUInt32LE(0);
  const at = raw.byteOffset + HEADER;
  return {
    count,
    ordinals: new Uint32Array(raw.buffer, at, count),
    steps: new Uint32Array(raw.buffer, at + count * 4, count),
    ends: new Uint32Array(raw.buffer, at + count * 8, count),
    kinds: new Uint16Array(raw.buffer, at + count * 12, count),
    text: raw.subarray(HEADER + count * 14),
  };
}

function aligned(bytes: Buffer): Buffer {
  if (bytes.byteOffset % 8 === 0) return bytes;
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  bytes.copy(copy);
  return copy;
}
