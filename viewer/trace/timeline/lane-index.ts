import { lowerBoundBy } from "../model/sorted.ts";

/**
 * Spans of time in the order of their beginnings, ready to be drawn and hit whatever their number. What they are is told
 * by the rows they were made of: kept is only which those are.
 */
export interface LaneIndex {
  readonly length: number;
  /** Epoch ms, rising. */
  start(at: number): number;
  end(at: number): number;
  /** The latest end of all spans up to and with this one: rises too, and says where something is under way. */
  reach(at: number): number;
  /** Which row of the list the span was made of. */
  row(at: number): number;
  /** A position from which on spans may reach a moment: none before it does. */
  from(ts: number): number;
}

/** The spans of rows; what it tells of a row stays the same. */
export interface RowSpans {
  count: number;
  /** Whether a row is among them. */
  has(row: number): boolean;
  start(row: number): number;
  end(row: number): number;
}

/** Every how many spans it is kept how far those before reach. */
const STRIDE = 16;

export function createLaneIndex(spans: RowSpans): LaneIndex {
  const { length, row } = rowsOf(spans);
  const start = (at: number): number => spans.start(row(at));
  const end = (at: number): number => {
    const place = row(at);
    return Math.max(spans.start(place), spans.end(place));
  };
  const latest = new Float64Array(Math.ceil(length / STRIDE));
  let soFar = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < length; at += 1) {
    soFar = Math.max(soFar, end(at));
    latest[Math.floor(at / STRIDE)] = soFar;
  }
  return {
    length,
    start,
    end,
    row,
    reach(at) {
      const block = Math.floor(at / STRIDE);
      let far = latest[block - 1] ?? Number.NEGATIVE_INFINITY;
      for (let one = block * STRIDE; one <= at; one += 1) far = Math.max(far, end(one));
      return far;
    },
    from(ts) {
      const block = lowerBoundBy(latest.length, (at) => latest[at] ?? 0, ts);
      return Math.min(length, block * STRIDE);
    },
  };
}

/** The rows that have a span, in the order of their beginnings. */
function rowsOf({ count, has, start }: RowSpans): { length: number; row: (at: number) => number } {
  const kept = new Uint32Array(count);
  const left = new Uint32Array(count);
  let length = 0;
  let isSorted = true;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < count; row += 1) {
    if (!has(row)) {
      left[row - length] = row;
      continue;
    }
    const ts = start(row);
    if (ts < last) isSorted = false;
    last = ts;
    kept[length++] = row;
  }
  if (isSorted && length > count / 2) return { length, row: allBut(left.slice(0, count - length)) };
  const rows = kept.slice(0, length);
  if (!isSorted) {
    const starts = Float64Array.from(rows, start);
    const order = Uint32Array.from(rows.keys());
    order.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
    rows.set(order.map((at) => rows[at] ?? 0));
  }
  return { length, row: (at) => rows[at] ?? 0 };
}

/** Every row but a few, whose numbers rise. */
function allBut(left: Uint32Array): (at: number) => number {
  if (left.length === 0) return (at) => at;
  return (at) => at + lowerBoundBy(left.length, (one) => (left[one] ?? 0) - one, at, { isAbove: true });
}

/** The first position that begins at or after a moment, or later than it when `isAbove`. */
export const placeOf = (index: LaneIndex, ts: number, isAbove = false, from = 0): number =>
  lowerBoundBy(index.length, index.start, ts, { isAbove, from });

/** The positions whose spans may show between two moments: all that do, and perhaps some that end before. */
export function visible(index: LaneIndex, from: number, to: number): readonly [number, number] {
  const after = placeOf(index, to, true);
  return [Math.min(index.from(from), after), after];
}

const MOST_STEPS = 200;

/** The position of the span at a moment, give or take `slack` ms: the one that began last; -1 where there is none. */
export function spanAt(index: LaneIndex, ts: number, slack: number): number {
  const after = placeOf(index, ts + slack, true);
  const first = Math.max(index.from(ts - slack), after - MOST_STEPS);
  for (let at = after - 1; at >= first; at -= 1) if (index.end(at) >= ts - slack) return at;
  return -1;
}

/** How many spans begin between two moments. */
export const countBetween = (index: LaneIndex, from: number, to: number): number =>
  placeOf(index, to, true) - placeOf(index, from);
