import { mayEscape, unescapeLayer } from "./escapes.ts";
import { createGlance } from "./glance.ts";
import { endOf, type Needle, needlesOf, type Reading, type ReadText } from "./needle.ts";
import { decodeRuns, merged, type Span } from "./runs.ts";
import { latin1, type Units, unitsOf } from "./units.ts";

/** Finds values in texts by what the texts mean. */
export interface Search {
  /**
   * Where a text means one of the values: as it stands, escaped in any mixture of ways, as UTF-16, hex or base64, and each of
   * these within each other. In order, without overlaps.
   */
  find(text: string): Span[];
  /** Whether it does; quicker than finding all. */
  has(text: string): boolean;
  /** Nothing is searched for. */
  readonly isEmpty: boolean;
}

export interface Wanted {
  value: string;
  /** Found as a word of its own only. */
  isWord: boolean;
}

type Take = (span: Span) => boolean;

/** Escapes within each other: three, the JSON that holds them, and those that are read one layer late. */
const LAYERS = 6;
/** base64 and hex within each other. */
const DECODINGS = 3;
/** Longer texts are looked at in windows, which overlap by more than a secret takes however it is written. */
const WINDOW = 4 * 1024 * 1024;
const OVERLAP = 256 * 1024;
const PLUS = 0x2b;
const SPACE = 0x20;

/** Nothing means anything but itself. */
const PLAIN: ReadonlyMap<number, readonly Reading[]> = new Map();

/** @param wanted of at least one character each */
export function createSearch(wanted: readonly Wanted[]): Search {
  const needles = wanted.flatMap(({ value, isWord }) => needlesOf(value, isWord));
  if (needles.length === 0) return { find: () => [], has: () => false, isEmpty: true };
  const byFirst = new Map<number, Needle[]>();
  const isFirst = new Uint8Array(65_536);
  const isPart = new Set(needles.flatMap(({ characters }) => characters.flat(2)));
  const possible = possibleBytes(isPart);
  for (const needle of needles)
    for (const [unit = 0] of needle.characters[0] ?? []) {
      byFirst.set(unit, [...(byFirst.get(unit) ?? []), needle]);
      if (unit < isFirst.length) isFirst[unit] = 1;
    }
  if (isFirst[SPACE] === 1) isFirst[PLUS] = 1;
  const least = Math.min(...needles.map(({ characters }) => characters.length));
  const glance = createGlance(needles, possible, least);

  function beginningAt(read: ReadText, unit: number, at: number, take: Take): boolean {
    for (const needle of byFirst.get(unit) ?? []) {
      const end = endOf(read, needle, at);
      if (end >= 0 && take({ from: at, to: end })) return true;
    }
    return unit === PLUS && isPart.has(SPACE) ? beginningAt(read, SPACE, at, take) : false;
  }

  function compare(read: ReadText, take: Take): boolean {
    const { text, readings } = read;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (isFirst[unit] === 1 && beginningAt(read, unit, at, take)) return true;
    }
    for (const [at, means] of readings)
      for (const { unit } of means) if (beginningAt(read, unit, at, take)) return true;
    return false;
  }

  function decode(units: Units, decodings: number, take: Take): boolean {
    if (decodings === 0) return false;
    return decodeRuns(units, least, ({ bytes, spanOf }) =>
      eachStretch(bytes, possible, least, (from, to) =>
        search(latin1(bytes, from, to), decodings - 1, (span) =>
          take(spanOf(from + span.from, from + span.to)),
        ),
      ),
    );
  }

  /** Takes escapes off `units`, and tells what their places mean as far as that could be part of a value. */
  function readingsIn(units: Units): Map<number, Reading[]> {
    const readings = new Map<number, Reading[]>();
    const tell = (unit: number, from: number, to: number) => {
      if (unit === PLUS && isPart.has(SPACE)) tell(SPACE, from, to);
      if (!isPart.has(unit)) return;
      const known = readings.get(from);
      if (known) known.push({ unit, end: to });
      else readings.set(from, [{ unit, end: to }]);
    };
    for (let layer = 0; layer < LAYERS; layer++) if (!unescapeLayer(units, tell)) break;
    return readings;
  }

  /** @param take answers whether that was enough */
  function search(text: string, decodings: number, take: Take): boolean {
    if (text.includes("\0"))
      for (const { text: wide, from } of wideTexts(text))
        if (
          searchOnce(wide, decodings, (span) => take({ from: from + span.from * 2, to: from + span.to * 2 }))
        )
          return true;
    return searchOnce(text, decodings, take);
  }

  function searchOnce(text: string, decodings: number, take: Take): boolean {
    if (text.length < least) return false;
    const units = unitsOf(text, decodings);
    if (decode(units, decodings, take)) return true;
    if (!mayEscape(text)) return compare({ text, readings: PLAIN }, take);
    const readings = readingsIn(units);
    if (units.count < text.length && decode(units, decodings, take)) return true;
    return compare({ text, readings }, take);
  }

  function searchAll(text: string, take: Take): boolean {
    for (let from = 0; ; from += WINDOW - OVERLAP) {
      const window = from === 0 && text.length <= WINDOW ? text : text.slice(from, from + WINDOW);
      if (
        glance(window, DECODINGS) &&
        search(window, DECODINGS, (span) => take({ from: from + span.from, to: from + span.to }))
      )
        return true;
      if (from + WINDOW >= text.length) return false;
    }
  }

  return {
    isEmpty: false,
    find(text) {
      const found: Span[] = [];
      searchAll(text, (span) => {
        found.push(span);
        return false;
      });
      return merged(found);
    },
    has: (text) => searchAll(text, () => true),
  };
}

/** Bytes that may be part of a value, however it is encoded. */
function possibleBytes(parts: Iterable<number>): Uint8Array {
  const possible = new Uint8Array(256);
  possible.fill(1, 0x20, 0x7f);
  for (const unit of [0, 9, 10, 13, ...parts]) if (unit < possible.length) possible[unit] = 1;
  return possible;
}

/** Most of what is decoded is noise: only what could hold a value is looked at. */
function eachStretch(
  bytes: Uint8Array,
  possible: Uint8Array,
  least: number,
  isEnough: (from: number, to: number) => boolean,
): boolean {
  let from = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && possible[bytes[at]!] === 1) continue;
    if (at - from >= least && isEnough(from, at)) return true;
    from = at + 1;
  }
  return false;
}

/** Bytes as UTF-16 in either order, beginning at an even or an odd place. */
function wideTexts(text: string): { text: string; from: number }[] {
  return [0, 1].flatMap((from) =>
    [8, 0].map((shift) => {
      const units = new Uint16Array((text.length - from) >> 1);
      for (let at = 0; at < units.length; at++) {
        const first = text.charCodeAt(from + at * 2) & 255;
        const second = text.charCodeAt(from + at * 2 + 1) & 255;
        units[at] = (first << (8 - shift)) | (second << shift);
      }
      return { text: latin1(units), from };
    }),
  );
}
