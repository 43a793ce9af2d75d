import { LINE_STRIDE } from "./columns.ts";
import { type Columns, type EventIndex, type KeyEntry, lowerBound } from "./index.ts";
import type { EventQuery } from "./types.ts";

/** A query's kinds and step, looked up in the index. */
export interface Filter {
  /** 1 for every kind number that may match; null when all may. */
  kinds: Uint8Array | null;
  /** Step number; 0 when any may match. */
  step: number;
  /** Entries that together cover every match: the step's, else the kinds'. Empty when everything matches. */
  keys: KeyEntry[];
}

/** @returns null when nothing can match. */
export function resolveFilter(index: EventIndex, query: EventQuery): Filter | null {
  const names = query.kinds && matchingKinds(index, query.kinds);
  if (names?.length === 0) return null;
  const isEveryKind = names?.length === index.kindNames.length;
  if (isEveryKind && query.step === undefined) return { kinds: null, step: 0, keys: [] };
  const kinds = names ? new Uint8Array(index.kindNames.length) : null;
  for (const number of names ?? []) kinds![number] = 1;
  if (query.step !== undefined) {
    const step = index.entry("step", query.step);
    return step && { kinds, step: step.number, keys: [step] };
  }
  const keys = (names ?? []).map((number) => index.entry("kind", index.kindNames[number]!)!);
  return { kinds, step: 0, keys };
}

function matchingKinds(index: EventIndex, patterns: string[]): number[] {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  const numbers: number[] = [];
  index.kindNames.forEach((name, number) => {
    if (exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) numbers.push(number);
  });
  return numbers;
}

export interface FrameCounts {
  /** Rising. */
  frames: Uint32Array;
  /** Matches in each of them, at least one. */
  counts: Uint32Array;
}

/** In which frames the matches are and how many in each. */
export function countMatches(index: EventIndex, filter: Filter): FrameCounts {
  if (filter.keys.length === 0)
    return {
      frames: Uint32Array.from(index.frames, (_, frame) => frame),
      counts: Uint32Array.from(index.frames, (frame) => frame.count),
    };
  const [only] = filter.keys;
  if (filter.keys.length === 1 && filter.step === 0) return { frames: only!.frames, counts: only!.counts };
  const sums = new Uint32Array(index.frames.length);
  for (const { frames, kinds, counts } of filter.keys)
    for (let i = 0; i < frames.length; i++)
      if (!filter.kinds || filter.kinds[kinds[i]!] === 1) sums[frames[i]!]! += counts[i]!;
  const frames = Uint32Array.from(sums.keys()).filter((frame) => sums[frame]! > 0);
  return { frames, counts: frames.map((frame) => sums[frame]!) };
}

/** Position of the first event whose seq is not below `fromSeq`; `frame` is past the last one when there is none. */
export function positionOfSeq(index: EventIndex, fromSeq: number): { frame: number; local: number } {
  const { frames } = index;
  const frame = lowerBound(frames.length, fromSeq, (i) => frames[i]!.lastSeq);
  const info = frames[frame];
  if (!info || fromSeq <= info.firstSeq) return { frame, local: 0 };
  const { seqs } = index.columns(frame);
  if (seqs) return { frame, local: lowerBound(seqs.length, fromSeq, (i) => seqs[i]!) };
  return { frame, local: Math.ceil(fromSeq - info.firstSeq) };
}

export function isMatch(
  filter: Filter,
  columns: { kinds: Uint16Array; steps: Uint32Array },
  i: number,
): boolean {
  if (filter.kinds && filter.kinds[columns.kinds[i]!] !== 1) return false;
  return filter.step === 0 || columns.steps[i] === filter.step;
}

/** Matches of a frame from its event `from` on, in order, without the first `skip` and at most `take`. */
export function pickMatches(
  filter: Filter,
  columns: Columns,
  from: number,
  skip: number,
  take: number,
): number[] {
  const picked: number[] = [];
  let toSkip = skip;
  for (let i = from; i < columns.count && picked.length < take; i++) {
    if (!isMatch(filter, columns, i)) continue;
    if (toSkip > 0) toSkip--;
    else picked.push(i);
  }
  return picked;
}

export function countFrom(filter: Filter, columns: Columns, from: number): number {
  if (filter.keys.length === 0) return columns.count - from;
  let count = 0;
  for (let i = from; i < columns.count; i++) if (isMatch(filter, columns, i)) count++;
  return count;
}

const NEWLINE = 10;

/** Byte offset of a line in its unpacked frame. */
export function lineOffset(data: Buffer, columns: Columns, line: number): number {
  if (line >= columns.count) return data.length;
  let at = columns.lineOffsets[Math.floor(line / LINE_STRIDE)]!;
  for (let passed = line % LINE_STRIDE; passed > 0; passed--) at = data.indexOf(NEWLINE, at) + 1;
  return at;
}
