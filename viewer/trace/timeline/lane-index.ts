import { lowerBound } from "../model/sorted.ts";

/** Spans of time in the order of their beginnings, ready to be drawn and hit whatever their number. */
export interface LaneIndex {
  readonly length: number;
  /** Epoch ms, rising. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** The latest end of all spans up to and with each: rises too, and says where something is under way. */
  readonly reach: Float64Array;
  /** Which row of the list each span was made of. */
  readonly rows: Uint32Array;
}

/** `span` answers beginning and end of a row, or null to leave it out. */
export function createLaneIndex(
  count: number,
  span: (row: number) => readonly [number, number] | null,
): LaneIndex {
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  const rows = new Uint32Array(count);
  let length = 0;
  let isSorted = true;
  let areMoments = true;
  for (let row = 0; row < count; row += 1) {
    const at = span(row);
    if (!at) continue;
    if (length > 0 && at[0] < (starts[length - 1] ?? 0)) isSorted = false;
    starts[length] = at[0];
    ends[length] = Math.max(at[0], at[1]);
    if (at[1] > at[0]) areMoments = false;
    rows[length] = row;
    length += 1;
  }
  if (isSorted && areMoments) {
    // All three are the same, and kept once.
    const moments = starts.slice(0, length);
    return { length, starts: moments, ends: moments, reach: moments, rows: rows.slice(0, length) };
  }
  const order = isSorted ? null : Uint32Array.from({ length }, (_, index) => index);
  order?.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
  const pick = <T extends Float64Array | Uint32Array>(values: T): T =>
    (order
      ? values.map((_, index) => values[order[index] ?? 0] ?? 0).slice(0, length)
      : values.slice(0, length)) as T;
  const sorted = { starts: pick(starts), ends: pick(ends), rows: pick(rows) };
  const reach = new Float64Array(length);
  let latest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < length; index += 1) {
    latest = Math.max(latest, sorted.ends[index] ?? 0);
    reach[index] = latest;
  }
  return { length, reach, ...sorted };
}

/** The positions whose spans may show between two moments: all that do, and perhaps some that end before. */
export function visible(index: LaneIndex, from: number, to: number): readonly [number, number] {
  return [lowerBound(index.reach, from), lowerBound(index.starts, to, true)];
}

const MOST_STEPS = 200;

/** The position of the span at a moment, give or take `slack` ms: the one that began last; -1 where there is none. */
export function spanAt(index: LaneIndex, ts: number, slack: number): number {
  const after = lowerBound(index.starts, ts + slack, true);
  for (let at = after - 1; at >= Math.max(0, after - MOST_STEPS); at -= 1) {
    if ((index.ends[at] ?? 0) >= ts - slack) return at;
    if ((index.reach[at] ?? 0) < ts - slack) return -1;
  }
  return -1;
}

/** How many spans begin between two moments. */
export const countBetween = (index: LaneIndex, from: number, to: number): number =>
  lowerBound(index.starts, to, true) - lowerBound(index.starts, from);
