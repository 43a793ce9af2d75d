import { isErrorEvent, KNOWN_KINDS, type TraceEvent } from "./event.ts";
import { LANE_BUCKETS, LANES, type Lane, MAX_FILMSTRIP, type Shot } from "./summary.ts";

/** Slots while counting: finer than what comes out, so that the last re-bucketing is off by a quarter of a bucket at most. */
const SLOTS = LANE_BUCKETS * 32;
const SHOTS_KEPT = MAX_FILMSTRIP * 4;

/** The lanes an event is drawn in. */
export function lanesOf(event: TraceEvent, isError = isErrorEvent(event)): Lane[] {
  const known = LANE_OF.get(event.kind);
  const lane = known === undefined ? laneOfKind(event.kind) : known;
  if (lane === null) return isError ? ["errors"] : [];
  return isError ? [lane, "errors"] : [lane];
}

function laneOfKind(kind: string): Lane | null {
  if (kind === "agent.action") return "actions";
  if (kind === "agent.thought") return "thoughts";
  if (kind === "assertion") return "assertions";
  if (kind.endsWith("_injection")) return "injections";
  const family = kind.slice(0, Math.max(0, kind.indexOf(".")));
  if (family === "network" || family === "console" || family === "clone") return family;
  if (family === "clock" || family === "dom") return family;
  return null;
}

/** Of the kinds that most events are of. */
const LANE_OF = new Map(KNOWN_KINDS.map((kind): [string, Lane | null] => [kind, laneOfKind(kind)]));

/**
 * Counts events per lane and time in one pass: when the span outgrows the slots, they double their width until it fills
 * half of them at most, with room on both sides, so that this happens seldom whichever way times go.
 */
export function createHistogram() {
  let lanes = emptyLanes();
  let width = 1;
  let origin: number | null = null;
  let earliest = 0;
  let latest = 0;

  function makeRoom(ts: number) {
    const [oldOrigin, oldWidth, old] = [origin!, width, lanes];
    const slotOf = (time: number) => Math.floor((time - oldOrigin) / oldWidth);
    const [from, until] = [slotOf(earliest), slotOf(latest)];
    const [start, end] = [Math.min(earliest, ts), Math.max(latest, ts)];
    while ((end - start) / width >= SLOTS / 2) width *= 2;
    // Origins are multiples of the width, so that every old slot lies inside one new slot.
    origin = Math.floor((start - (SLOTS / 4) * width) / width) * width;
    lanes = emptyLanes();
    for (const lane of LANES) {
      const [before, after] = [old[lane], lanes[lane]];
      for (let at = from; at <= until; at++)
        if (before[at]) after[Math.floor((oldOrigin + at * oldWidth - origin) / width)]! += before[at]!;
    }
  }

  function add(event: TraceEvent, isError?: boolean) {
    const hit = lanesOf(event, isError);
    const { ts } = event;
    if (hit.length === 0) return;
    if (origin === null) {
      origin = ts - SLOTS / 4;
      [earliest, latest] = [ts, ts];
    } else if (ts < origin || ts >= origin + width * SLOTS) makeRoom(ts);
    if (ts < earliest) earliest = ts;
    if (ts > latest) latest = ts;
    const slot = Math.floor((ts - origin) / width);
    for (const lane of hit) lanes[lane][slot]! += 1;
  }

  /** `LANE_BUCKETS` equal slices of first … last, the last one closed. */
  function finish(first: number | null, last: number | null): Record<Lane, number[]> {
    const out = Object.fromEntries(
      LANES.map((lane) => [lane, new Array<number>(LANE_BUCKETS).fill(0)]),
    ) as Record<Lane, number[]>;
    if (origin === null || first === null || last === null) return out;
    const slice = (last - first) / LANE_BUCKETS;
    for (let slot = 0; slot < SLOTS; slot++) {
      const middle = origin + slot * width + (width - 1) / 2;
      const bucket = slice === 0 ? 0 : Math.floor((middle - first) / slice);
      const at = Math.min(Math.max(bucket, 0), LANE_BUCKETS - 1);
      for (const lane of LANES) out[lane][at]! += lanes[lane][slot]!;
    }
    return out;
  }

  return { add, finish };
}

function emptyLanes(): Record<Lane, Float64Array> {
  return Object.fromEntries(LANES.map((lane) => [lane, new Float64Array(SLOTS)])) as Record<
    Lane,
    Float64Array
  >;
}

/** Keeps screenshots evenly spread in time in bounded memory: whenever too many are kept, the distance between them grows. */
export function createFilmstrip() {
  let kept: Shot[] = [];
  let distance = 0;
  let first: Shot | null = null;
  let last: Shot | null = null;

  function add(shot: Shot) {
    if (!first || shot.ts < first.ts) first = shot;
    if (!last || shot.ts >= last.ts) last = shot;
    const previous = kept.at(-1);
    if (previous && Math.abs(shot.ts - previous.ts) < distance) return;
    kept.push(shot);
    if (kept.length < SHOTS_KEPT) return;
    kept.sort((a, b) => a.ts - b.ts);
    const span = kept.at(-1)!.ts - kept[0]!.ts;
    distance = Math.max(distance * 2, span / (SHOTS_KEPT / 2), 1);
    kept = spaced(kept, distance);
  }

  function finish(): Shot[] {
    if (!first || !last) return [];
    const all = new Map([first, ...kept, last].map((shot) => [shot.seq, shot]));
    const shots = [...all.values()].sort((a, b) => a.ts - b.ts || a.seq - b.seq);
    return shots.length <= MAX_FILMSTRIP ? shots : evenly(shots, MAX_FILMSTRIP);
  }

  return { add, finish, last: () => last };
}

function spaced(shots: Shot[], distance: number): Shot[] {
  let next = Number.NEGATIVE_INFINITY;
  return shots.filter((shot) => {
    if (shot.ts < next) return false;
    next = shot.ts + distance;
    return true;
  });
}

/** The shots nearest to `count` equally distant moments; `shots` rise in time, the ends are always taken. */
function evenly(shots: Shot[], count: number): Shot[] {
  const [start, end] = [shots[0]!.ts, shots.at(-1)!.ts];
  const chosen = new Set<Shot>();
  let at = 0;
  for (let index = 0; index < count; index++) {
    const moment = start + ((end - start) * index) / (count - 1);
    while (at + 1 < shots.length && Math.abs(shots[at + 1]!.ts - moment) <= Math.abs(shots[at]!.ts - moment))
      at += 1;
    chosen.add(index === 0 ? shots[0]! : index === count - 1 ? shots.at(-1)! : shots[at]!);
  }
  return [...chosen];
}
