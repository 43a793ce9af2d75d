import type { KeyEntry, SideBlockRef } from "./index.ts";

/** Writes unsigned integers up to 2^53 as LEB128. */
export function createVarintWriter() {
  // Each entry of an index has a writer of its own, and most are shorter.
  let bytes = Buffer.allocUnsafe(256);
  let used = 0;
  function reserve(length: number) {
    if (used + length <= bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(bytes.length * 2, used + length));
    bytes.copy(grown, 0, 0, used);
    bytes = grown;
  }
  return {
    get length() {
      return used;
    },
    number(value: number) {
      reserve(8);
      let rest = value;
      while (rest >= 128) {
        bytes[used++] = (rest % 128) | 128;
        rest = Math.floor(rest / 128);
      }
      bytes[used++] = rest;
    },
    raw(data: Uint8Array) {
      reserve(data.length);
      bytes.set(data, used);
      used += data.length;
    },
    take(): Buffer {
      const out = Buffer.from(bytes.subarray(0, used));
      used = 0;
      return out;
    },
  };
}

export type VarintWriter = ReturnType<typeof createVarintWriter>;

interface Cursor {
  bytes: Buffer;
  at: number;
}

function readNumber(cursor: Cursor): number {
  let value = 0;
  let unit = 1;
  for (;;) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new RangeError("A number of the index ends early.");
    value += (byte & 127) * unit;
    if (byte < 128) return value;
    unit *= 128;
  }
}

/** Appends one entry: the length of its name and of its body, then both. */
export function writeEntry(out: VarintWriter, name: string, entry: KeyEntry) {
  const body = createVarintWriter();
  body.number(entry.number);
  body.number(entry.frames.length);
  let previous = 0;
  for (let i = 0; i < entry.frames.length; i++) {
    body.number(entry.frames[i]! - previous);
    body.number(entry.kinds[i]!);
    body.number(entry.counts[i]!);
    previous = entry.frames[i]!;
  }
  body.number(entry.side.length);
  for (const ref of entry.side) for (const field of SIDE_FIELDS) body.number(ref[field]);
  const nameBytes = Buffer.from(name);
  const bodyBytes = body.take();
  out.number(nameBytes.length);
  out.number(bodyBytes.length);
  out.raw(nameBytes);
  out.raw(bodyBytes);
}

const SIDE_FIELDS = [
  "offset",
  "storedSize",
  "size",
  "checksum",
  "count",
  "firstOrdinal",
  "lastOrdinal",
] as const satisfies (keyof SideBlockRef)[];

/** Finds an entry by name in a block of entries. */
export function findEntry(block: Buffer, name: string): KeyEntry | null {
  const wanted = Buffer.from(name);
  const cursor = { bytes: block, at: 0 };
  while (cursor.at < block.length) {
    const nameLength = readNumber(cursor);
    const bodyLength = readNumber(cursor);
    const bodyAt = cursor.at + nameLength;
    const isWanted =
      nameLength === wanted.length && block.compare(wanted, 0, nameLength, cursor.at, bodyAt) === 0;
    cursor.at = bodyAt;
    if (isWanted) return readEntry(cursor);
    cursor.at += bodyLength;
  }
  return null;
}

function readEntry(cursor: Cursor): KeyEntry {
  const number = readNumber(cursor);
  const length = readNumber(cursor);
  const entry: KeyEntry = {
    number,
    frames: new Uint32Array(length),
    kinds: new Uint32Array(length),
    counts: new Uint32Array(length),
    side: [],
  };
  let frame = 0;
  for (let i = 0; i < length; i++) {
    frame += readNumber(cursor);
    entry.frames[i] = frame;
    entry.kinds[i] = readNumber(cursor);
    entry.counts[i] = readNumber(cursor);
  }
  const sideLength = readNumber(cursor);
  for (let i = 0; i < sideLength; i++) {
    const values = SIDE_FIELDS.map(() => readNumber(cursor));
    entry.side.push(
      Object.fromEntries(SIDE_FIELDS.map((field, n) => [field, values[n]])) as unknown as SideBlockRef,
    );
  }
  return entry;
}
