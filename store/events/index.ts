import type { EventFileInfo, FrameInfo } from "./types.ts";

/** A separately compressed stretch of the index file, with the CRC-32 of its stored bytes. */
export interface BlockRef {
  offset: number;
  storedSize: number;
  size: number;
  checksum: number;
}

/** A block of copied lines of one kind or step, in the order of the file. */
export interface SideBlockRef extends BlockRef {
  count: number;
  firstOrdinal: number;
  lastOrdinal: number;
}

/** What the index knows of one kind or step: in which frames it is, how often, and as which kind. */
export interface KeyEntry {
  /** Number of the kind (from 0) or of the step (from 1). */
  number: number;
  /** Rising; a frame appears once per kind. `kinds` and `counts` run in parallel. */
  frames: Uint32Array;
  kinds: Uint32Array;
  counts: Uint32Array;
  /** Copies of all its lines, kept when they are scattered over many frames; else empty. */
  side: SideBlockRef[];
}

/** Per event of one frame: its kind, its step, where its line starts. */
export interface Columns {
  count: number;
  kinds: Uint16Array;
  /** Step numbers; 0 is none. */
  steps: Uint32Array;
  /** Byte offset in the frame of every `LINE_STRIDE`-th line. */
  lineOffsets: Uint32Array;
  /** Null when the frame's sequence numbers have no gaps. */
  seqs: Float64Array | null;
}

export interface SideBlock {
  count: number;
  ordinals: Uint32Array;
  steps: Uint32Array;
  kinds: Uint16Array;
  /** Byte offset in `text` of the end of every line, its line end included. */
  ends: Uint32Array;
  text: Buffer;
}

export type KeySpace = "kind" | "step";

/** The index of one event file: on disk for a finished trace, in memory for a running one. Loads what is asked for. */
export interface EventIndex {
  info(): EventFileInfo;
  readonly frames: readonly FrameInfo[];
  readonly kindNames: readonly string[];
  entry(space: KeySpace, name: string): KeyEntry | null;
  columns(frame: number): Columns;
  sideBlock(ref: SideBlockRef): SideBlock;
}

/** An index that does not check out or belongs to another file. It is rebuilt, never trusted. */
export class StaleIndexError extends Error {
  override name = "StaleIndexError";
}

const LONG_KEY = 200;

/** Keys of the index are bounded: of a longer step id its hash stands for the rest. */
export function stepKey(stepId: string): string {
  if (stepId.length <= LONG_KEY) return stepId;
  return `${stepId.slice(0, LONG_KEY / 2)}…${new Bun.CryptoHasher("sha256").update(stepId).digest("hex")}`;
}

/** Index of the first element that is not below `value` in a rising sequence of `length` elements. */
export function lowerBound(length: number, value: number, at: (index: number) => number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
