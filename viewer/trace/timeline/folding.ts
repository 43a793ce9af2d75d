import { lowerBound } from "../model/sorted.ts";

/** A stretch of the wall clock that is drawn as a narrow mark. */
export interface Break {
  /** Nothing was recorded; or the page's clock jumped, which takes no time on the wall's (`from` is `to`). */
  kind: "idle" | "jump";
  /** Epoch ms. */
  from: number;
  to: number;
  /** What the mark stands for, ms: the idle time, or how far the clock was moved. */
  length: number;
}

/** Lays moments out on an even line on which every break takes the same small place. */
export interface Folding {
  readonly breaks: readonly Break[];
  /** Position of a moment: rises with time, by 1 for each millisecond outside of breaks. */
  place(ts: number): number;
  /** The moment at a position; inside a jump, the moment of the jump. */
  moment(place: number): number;
}

/** A clock counted in doubles is too coarse for idle time shorter than this. */
const SHORTEST_MS = 1;
const MARK_SHARE = 0.025;
/** Marks never take more than this of the line together. */
const MOST_SHARE = 0.3;

/** Breaks may come in any order; of two that overlap the later one is cut. */
export function createFolding(from: number, to: number, wanted: readonly Break[]): Folding {
  const breaks: Break[] = [];
  let open = Math.max(0, to - from);
  let reached = from;
  for (const one of wanted.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const start = Math.max(one.from, reached);
    const end = Math.min(one.to, to);
    if (end < start || (one.kind === "idle" && end - start < SHORTEST_MS)) continue;
    breaks.push({ ...one, from: start, to: end });
    open -= end - start;
    reached = end;
  }
  const mark = Math.max(1, open) * Math.min(MARK_SHARE, MOST_SHARE / Math.max(1, breaks.length));
  const times = [from];
  const places = [0];
  for (const { from: start, to: end } of breaks) {
    const place = (places.at(-1) ?? 0) + start - (times.at(-1) ?? from);
    times.push(start, end);
    places.push(place, place + mark);
  }
  return {
    breaks,
    place: (ts) => interpolate(times, places, ts),
    moment: (place) => interpolate(places, times, place),
  };
}

/** Follows the line through the points; before the first and after the last it goes on evenly. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  const next = lowerBound(xs, x);
  const [x0, y0] = [xs[next - 1], ys[next - 1]];
  const [x1, y1] = [xs[next], ys[next]];
  if (x1 === undefined || y1 === undefined) return (ys.at(-1) ?? 0) + x - (xs.at(-1) ?? 0);
  if (x0 === undefined || y0 === undefined) return y1 + x - x1;
  return x1 === x0 ? y0 : y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}

const SLOTS = 2048;
const LEAST_IDLE_MS = 1000;
const IDLE_SHARE = 0.05;

/** What was recorded when, as far as it is known. */
export interface Activity {
  /** Ends of the timeline, epoch ms. */
  range: readonly [number, number];
  /** Events per equal slice of `first` to `last`, for each lane. */
  lanes: readonly (readonly number[])[];
  first: number;
  last: number;
  /** More moments at which something happened. */
  moments: Iterable<number>;
}

/**
 * Stretches in which no event was recorded for longer than a twentieth of the trace, a second at least. Something may
 * have been waited for meanwhile: waiting is not an event.
 */
export function idleStretches({ range: [from, to], lanes, first, last, moments }: Activity): Break[] {
  const span = to - from;
  const threshold = Math.max(LEAST_IDLE_MS, span * IDLE_SHARE);
  if (span <= threshold) return [];
  const slot = span / SLOTS;
  const slotAt = (ts: number): number => Math.max(0, Math.min(SLOTS - 1, Math.floor((ts - from) / slot)));
  const busy = new Uint8Array(SLOTS);
  for (const counts of lanes) {
    const slice = (last - first) / Math.max(1, counts.length);
    counts.forEach((count, index) => {
      if (count > 0) busy.fill(1, slotAt(first + index * slice), slotAt(first + (index + 1) * slice) + 1);
    });
  }
  for (const ts of moments) busy[slotAt(ts)] = 1;
  busy[0] = 1;
  busy[SLOTS - 1] = 1;
  const breaks: Break[] = [];
  for (let at = busy.indexOf(0); at >= 0; at = busy.indexOf(0, at)) {
    const end = busy.indexOf(1, at);
    const length = (end - at) * slot;
    if (length > threshold)
      breaks.push({ kind: "idle", from: from + at * slot, to: from + end * slot, length });
    at = end;
  }
  return breaks;
}
