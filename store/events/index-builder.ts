import { decodeColumns, encodeColumns, LINE_STRIDE } from "./columns.ts";
import { EventStreamError } from "./errors.ts";
import { compressBlock, decompressBlock } from "./frames.ts";
import { type Columns, type EventIndex, type KeyEntry, stepKey } from "./index.ts";
import { type Float64List, float64List, type Uint32List, uint16List, uint32List } from "./lists.ts";
import type { SeekEntry } from "./seek-table.ts";
import type { EventFileInfo, EventMeta, FrameInfo } from "./types.ts";

/** No honest trace comes near either bound. Kinds are numbered in 16 bits. */
const MAX_KINDS = 10_000;
const MAX_STEPS = 1 << 21;
const MAX_KIND_BYTES = 16 << 20;

/** Where a finished frame lies, and the checksum of what is in it. */
export type FramePlace = SeekEntry & { offset: number };

/** A filled frame that is not stored yet. */
export interface CutFrame {
  columns: Columns & { seqs: Float64Array };
  minTs: number;
  maxTs: number;
}

/** Gathers the index while frames are written or scanned; readable at any time up to the last ended frame. */
export interface IndexBuilder extends EventIndex {
  /** Whether these events can be added next. Nothing is noted of them. @throws EventStreamError as `add` does */
  checkNext(events: readonly EventMeta[]): void;
  /** Notes the next event of the frame being filled. @throws EventStreamError past the bounds on kinds and steps. */
  add(event: EventMeta, lineOffset: number, lineSize: number): void;
  /** Ends the frame being filled, so that the next one can begin while this one is still being stored. */
  cutFrame(): CutFrame;
  /** Takes a stored frame into the index; from now on readers see it. */
  placeFrame(frame: CutFrame, place: FramePlace): void;
  readonly seekEntries: readonly SeekEntry[];
  /** Every kind and step with its entry and the bytes of its lines, for writing the index. */
  keys(space: "kind" | "step"): Iterable<{ name: string; bytes: number; entry: KeyEntry }>;
  readonly stepCount: number;
  /** The stored form of a frame's columns. */
  columnBlock(frame: number): { bytes: Uint8Array; size: number };
}

interface Postings {
  /** The step (or, among kinds, nothing), frame, kind and count of each run of events. */
  keys: Uint32List;
  frames: Uint32List;
  kinds: Uint32List;
  counts: Uint32List;
}

export function createIndexBuilder(): IndexBuilder {
  const kinds = createNames();
  const steps = createNames();
  const frames: FrameInfo[] = [];
  const seekEntries: SeekEntry[] = [];
  const blocks: { bytes: Uint8Array; size: number }[] = [];
  const byKind = createPostings();
  const byStep = createPostings();
  const open = { kinds: uint16List(), steps: uint32List(), lineOffsets: uint32List(), seqs: float64List() };
  let minTs = Number.POSITIVE_INFINITY;
  let maxTs = Number.NEGATIVE_INFINITY;
  let lastSeq = Number.NEGATIVE_INFINITY;
  let kindNameBytes = 0;
  const total: Omit<EventFileInfo, "kinds"> = {
    count: 0,
    firstSeq: null,
    lastSeq: null,
    minTs: null,
    maxTs: null,
    size: 0,
    storedSize: 0,
  };
  let info: EventFileInfo | null = null;

  function kindNumber(name: string): number {
    const known = kinds.find(name);
    if (known !== undefined) return known;
    kindNameBytes += name.length;
    if (kinds.names.length >= MAX_KINDS || kindNameBytes > MAX_KIND_BYTES) throw tooManyKinds();
    return kinds.add(name);
  }

  function stepNumber(stepId: string): number {
    const name = stepKey(stepId);
    const known = steps.find(name);
    if (known !== undefined) return known + 1;
    if (steps.names.length >= MAX_STEPS) throw tooManySteps();
    return steps.add(name) + 1;
  }

  return {
    frames,
    seekEntries,
    kindNames: kinds.names,
    get stepCount() {
      return steps.names.length;
    },
    checkNext(events) {
      const newKinds = new Set<string>();
      const newSteps = new Set<string>();
      let before = lastSeq;
      for (const { seq, kind, step_id } of events) {
        if (!(seq > before)) throw notRising(seq, before);
        before = seq;
        if (kinds.find(kind) === undefined) newKinds.add(kind);
        const step = typeof step_id === "string" ? stepKey(step_id) : null;
        if (step !== null && steps.find(step) === undefined) newSteps.add(step);
      }
      const nameBytes = [...newKinds].reduce((sum, name) => sum + name.length, kindNameBytes);
      if (kinds.names.length + newKinds.size > MAX_KINDS || nameBytes > MAX_KIND_BYTES) throw tooManyKinds();
      if (steps.names.length + newSteps.size > MAX_STEPS) throw tooManySteps();
    },
    add(event, lineOffset, lineSize) {
      if (!(event.seq > lastSeq)) throw notRising(event.seq, lastSeq);
      lastSeq = event.seq;
      const kind = kindNumber(event.kind);
      const step = typeof event.step_id === "string" ? stepNumber(event.step_id) : 0;
      if (open.kinds.length % LINE_STRIDE === 0) open.lineOffsets.push(lineOffset);
      open.kinds.push(kind);
      open.steps.push(step);
      open.seqs.push(event.seq);
      kinds.bytes.add(kind, lineSize);
      if (step > 0) steps.bytes.add(step - 1, lineSize);
      if (event.ts < minTs) minTs = event.ts;
      if (event.ts > maxTs) maxTs = event.ts;
    },
    cutFrame() {
      const columns = {
        count: open.kinds.length,
        kinds: open.kinds.slice(),
        steps: open.steps.slice(),
        lineOffsets: open.lineOffsets.slice(),
        seqs: open.seqs.slice(),
      };
      if (columns.count === 0) throw new Error("A frame holds at least one event.");
      for (const list of Object.values(open)) list.clear();
      const cut = { columns, minTs, maxTs };
      minTs = Number.POSITIVE_INFINITY;
      maxTs = Number.NEGATIVE_INFINITY;
      return cut;
    },
    placeFrame({ columns, ...times }, { offset, compressedSize, size, checksum }) {
      const { count, seqs } = columns;
      const ends = { firstSeq: seqs[0]!, lastSeq: seqs[count - 1]!, ...times };
      const hasGaps = ends.lastSeq - ends.firstSeq !== count - 1;
      const raw = encodeColumns({ ...columns, seqs: hasGaps ? seqs : null });
      blocks.push({ bytes: compressBlock(raw, 1), size: raw.length });
      const kindCounts = countRuns(columns, frames.length, byKind, byStep);
      frames.push({ offset, compressedSize, size, count, firstOrdinal: total.count, ...ends });
      seekEntries.push({ compressedSize, size, checksum });
      for (const [kind, kindCount] of kindCounts) kinds.counts.add(kind, kindCount);
      total.count += count;
      total.firstSeq ??= ends.firstSeq;
      total.lastSeq = ends.lastSeq;
      total.minTs = Math.min(total.minTs ?? ends.minTs, ends.minTs);
      total.maxTs = Math.max(total.maxTs ?? ends.maxTs, ends.maxTs);
      total.size += size;
      total.storedSize = offset + compressedSize;
      info = null;
    },
    info() {
      info ??= { ...total, kinds: countsByName(kinds.names, kinds.counts) };
      return info;
    },
    entry(space, name) {
      const number = (space === "kind" ? kinds : steps).find(space === "kind" ? name : stepKey(name));
      if (number === undefined) return null;
      return space === "kind" ? pick(byKind, number, number) : pick(byStep, number + 1, number + 1);
    },
    *keys(space) {
      const [names, postings, first] = space === "kind" ? [kinds, byKind, 0] : ([steps, byStep, 1] as const);
      const groups = groupByKey(postings, names.names.length + first);
      for (let index = 0; index < names.names.length; index++) {
        const number = index + first;
        const order = groups.order.subarray(groups.starts[number]!, groups.starts[number + 1]!);
        yield {
          name: names.names[index]!,
          bytes: names.bytes.at(index),
          entry: take(postings, order, number),
        };
      }
    },
    columns(frame) {
      return decodeColumns(decompressBlock(blocks[frame]!.bytes));
    },
    columnBlock: (frame) => blocks[frame]!,
    sideBlock() {
      throw new Error("An index in memory has no copied lines.");
    },
  };
}

const tooManyKinds = () =>
  new EventStreamError("bundle_bomb", `The events have more than ${MAX_KINDS} different kinds.`);
const tooManySteps = () =>
  new EventStreamError("bundle_bomb", `The events have more than ${MAX_STEPS} different steps.`);
const notRising = (seq: number, before: number) =>
  new EventStreamError("bundle_unreadable", `Event seq ${seq} does not follow ${before}.`);

function createNames() {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  const bytes = float64List();
  const counts = float64List();
  return {
    names,
    bytes,
    counts,
    find: (name: string) => numbers.get(name),
    add(name: string) {
      const number = names.length;
      numbers.set(name, number);
      names.push(name);
      bytes.push(0);
      counts.push(0);
      return number;
    },
  };
}

function createPostings(): Postings {
  return { keys: uint32List(), frames: uint32List(), kinds: uint32List(), counts: uint32List() };
}

function countRuns(columns: Columns, frame: number, byKind: Postings, byStep: Postings) {
  const kindCounts = new Map<number, number>();
  const stepCounts = new Map<number, number>();
  for (let i = 0; i < columns.count; i++) {
    const kind = columns.kinds[i]!;
    kindCounts.set(kind, (kindCounts.get(kind) ?? 0) + 1);
    const step = columns.steps[i]!;
    if (step === 0) continue;
    const key = step * 65_536 + kind;
    stepCounts.set(key, (stepCounts.get(key) ?? 0) + 1);
  }
  for (const [kind, count] of kindCounts) append(byKind, kind, frame, kind, count);
  for (const [key, count] of stepCounts) append(byStep, Math.floor(key / 65_536), frame, key % 65_536, count);
  return kindCounts;
}

function append(postings: Postings, key: number, frame: number, kind: number, count: number) {
  postings.keys.push(key);
  postings.frames.push(frame);
  postings.kinds.push(kind);
  postings.counts.push(count);
}

/** One key's postings by looking at all of them: fine while a trace runs, which is short. */
function pick(postings: Postings, key: number, number: number): KeyEntry {
  const order = uint32List();
  for (let i = 0; i < postings.keys.length; i++) if (postings.keys.at(i) === key) order.push(i);
  return take(postings, order.slice(), number);
}

function take(postings: Postings, order: Uint32Array, number: number): KeyEntry {
  return {
    number,
    frames: order.map((i) => postings.frames.at(i)),
    kinds: order.map((i) => postings.kinds.at(i)),
    counts: order.map((i) => postings.counts.at(i)),
    side: [],
  };
}

/** Counting sort by key; within a key the order of the file stays. */
function groupByKey(postings: Postings, keyCount: number) {
  const starts = new Uint32Array(keyCount + 1);
  for (let i = 0; i < postings.keys.length; i++) starts[postings.keys.at(i) + 1]!++;
  for (let key = 0; key < keyCount; key++) starts[key + 1]! += starts[key]!;
  const next = starts.slice();
  const order = new Uint32Array(postings.keys.length);
  for (let i = 0; i < postings.keys.length; i++) order[next[postings.keys.at(i)]!++] = i;
  return { starts, order };
}

function countsByName(names: string[], counts: Float64List): Record<string, number> {
  return Object.fromEntries(names.map((name, kind) => [name, counts.at(kind)]));
}
