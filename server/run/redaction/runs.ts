import { hexValue, isHex } from "./escapes.ts";
import type { Units } from "./units.ts";

/** A part of a text, from its first unit to behind its last one. */
export interface Span {
  from: number;
  to: number;
}

/** In order, without overlaps. */
export function merged(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
    else out.push({ ...span });
  }
  return out;
}

/** Bytes that a part of a text may stand for, and where in it each of them stands. */
export interface Decoded {
  bytes: Uint8Array;
  spanOf(from: number, to: number): Span;
}

type Take = (decoded: Decoded) => boolean;

const NONE = 255;
/** base64 and base64url (RFC 4648, sections 4 and 5), by their units. */
const VALUES = new Uint8Array(128).fill(NONE);
for (const [at, letter] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"].entries())
  VALUES[letter.charCodeAt(0)] = at;
for (const [letter, value] of Object.entries({ "+": 62, "-": 62, "/": 63, _: 63 }))
  VALUES[letter.charCodeAt(0)] = value;

/** Mail and PEM break base64 into lines. */
const isBreak = (unit: number): boolean => unit === 10 || unit === 13;

/** What a unit of a run stands for, 0 to 63 and 64 for a line break; -1 for what ends one. */
export function runValue(unit: number): number {
  if (isBreak(unit)) return 64;
  const value = unit < 128 ? VALUES[unit]! : NONE;
  return value === NONE ? -1 : value;
}

/**
 * Hands over what stretches of hex digits and of the alphabets of base64 may stand for, wherever in them their first byte begins.
 * @param least bytes: shorter ones are passed over
 * @param take answers whether that was enough
 */
export function decodeRuns({ unit, start, end, count }: Units, least: number, take: Take): boolean {
  const shortest = Math.ceil((least * 8) / 6);
  let from = 0;
  let breaks = 0;
  for (let at = 0; at <= count; at++) {
    const here = at < count ? unit[at]! : -1;
    if (here >= 0 && here < 128 && VALUES[here] !== NONE) continue;
    if (isBreak(here)) {
      breaks += 1;
      continue;
    }
    if (at - from - breaks >= shortest) {
      const places = placesOf(unit, from, at, breaks);
      const run = { unit, start, end, places };
      if (decodeHex(run, least, take) || decodeBase64(run, shortest, take)) return true;
    }
    from = at + 1;
    breaks = 0;
  }
  return false;
}

interface Run {
  unit: Int32Array;
  start: Int32Array;
  end: Int32Array;
  /** Its units, by their index. */
  places: Int32Array;
}

function placesOf(unit: Int32Array, from: number, to: number, breaks: number): Int32Array {
  const places = new Int32Array(to - from - breaks);
  let size = 0;
  for (let at = from; at < to; at++) if (!isBreak(unit[at]!)) places[size++] = at;
  return places;
}

function decodeHex({ unit, start, end, places }: Run, least: number, take: Take): boolean {
  const digit = (at: number) => unit[places[at]!]!;
  for (let from = 0; from < places.length; ) {
    let to = from;
    while (to < places.length && isHex(digit(to))) to += 1;
    for (const first of [from, from + 1]) {
      const size = (to - first) >> 1;
      if (size < least) continue;
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; at++)
        bytes[at] = (hexValue(digit(first + at * 2)) << 4) | hexValue(digit(first + at * 2 + 1));
      const spanOf = (a: number, b: number) => ({
        from: start[places[first + a * 2]!]!,
        to: end[places[first + b * 2 - 1]!]!,
      });
      if (take({ bytes, spanOf })) return true;
    }
    from = to + 1;
  }
  return false;
}

function decodeBase64({ unit, start, end, places }: Run, shortest: number, take: Take): boolean {
  for (let first = 0; first < 4 && places.length - first >= shortest; first++) {
    const bytes = new Uint8Array(((places.length - first) * 6) >> 3);
    let bits = 0;
    let held = 0;
    let size = 0;
    for (let at = first; at < places.length; at++) {
      bits = ((bits << 6) | VALUES[unit[places[at]!]!]!) & 0xffff;
      held += 6;
      if (held < 8) continue;
      held -= 8;
      bytes[size++] = bits >> held;
    }
    const spanOf = (a: number, b: number) => ({
      from: start[places[first + Math.floor((a * 8) / 6)]!]!,
      to: end[places[first + Math.floor((b * 8 - 1) / 6)]!]!,
    });
    if (take({ bytes, spanOf })) return true;
  }
  return false;
}
