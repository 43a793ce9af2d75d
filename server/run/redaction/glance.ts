import { decodeHTML } from "entities/decode";
import { hexValue, isHex } from "./escapes.ts";
import type { Needle } from "./needle.ts";
import { decodeRuns, runValue } from "./runs.ts";
import { latin1, unitsOf } from "./units.ts";

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const SPACE = 0x20;
const LONGEST_NAME = 31;
const LONGEST_NUMBER = 10;
const LONGEST_CSS = 6;
/** Escapes within each other that are read here; more are left to the search. */
const DEEPEST = 3;
const SHORT: Record<number, number> = { 98: 8, 116: 9, 110: 10, 118: 11, 102: 12, 114: 13 };

const isStarter = (unit: number): boolean => unit === PERCENT || unit === AMPERSAND || unit === BACKSLASH;
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isAlphanumeric = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);

/** What escapes at a place mean, one within the other: each layer's unit, and where in the text the last one ends. */
interface Meaning {
  units: number[];
  end: number;
}

/** Too much within each other to be told at a glance. */
const UNCLEAR = "unclear";
type Read = Meaning | null | typeof UNCLEAR;

/** How many are being read, each to know whether it belongs to the one before it. */
let nested = 0;

/** The escape that begins at a place, where the reader of another one has come to. */
function nextMeaning(text: string, at: number): Read {
  if (nested === DEEPEST) return UNCLEAR;
  nested += 1;
  const meaning = meaningOf(text, text.charCodeAt(at), at + 1, 0);
  nested -= 1;
  return meaning;
}

/** @param kind of the starter, whatever stands for it @param at behind it */
function meaningOf(text: string, kind: number, at: number, depth: number): Read {
  const one =
    kind === PERCENT ? percent(text, at) : kind === BACKSLASH ? backslash(text, at, depth) : named(text, at);
  if (one === null || one === UNCLEAR) return one;
  const [unit = 0] = one.units;
  if (!isStarter(unit)) return one;
  if (depth >= DEEPEST) return UNCLEAR;
  const inner = meaningOf(text, unit, one.end, depth + 1);
  if (inner === null || inner === UNCLEAR) return inner ?? one;
  return { units: [unit, ...inner.units], end: inner.end };
}

/** Whether an escape begins at a place that means what may be part of another one. */
function goesOn(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const meaning = isStarter(unit) && nextMeaning(text, at);
  if (!meaning) return false;
  return meaning === UNCLEAR || meaning.units.some((one) => isStarter(one) || isPart(one));
}

/** Whether it may stand within an escape or end one. */
const isPart = (unit: number): boolean => isAlphanumeric(unit) || PARTS.has(unit);
const PARTS = new Set([..."#;{} \t\n"].map((sign) => sign.charCodeAt(0)));

const told = (unit: number, end: number): Meaning => ({ units: [unit], end });

/** What a backslash means before another escape, which is read first. */
function escaped(text: string, at: number, kind: number, depth: number): Read {
  const inner = nextMeaning(text, at);
  if (inner === null) return told(kind, at + 1);
  if (inner === UNCLEAR || depth === 0 || inner.units.length > 1) return UNCLEAR;
  const [unit = 0] = inner.units;
  return isAlphanumeric(unit) || isStarter(unit) ? UNCLEAR : inner;
}

/** From `least` to `most` hex digits. */
function hexAt(text: string, at: number, least: number, most: number): Read {
  let size = 0;
  let value = 0;
  while (size < most && isHex(text.charCodeAt(at + size))) {
    value = value * 16 + hexValue(text.charCodeAt(at + size));
    size += 1;
  }
  if (size < most && goesOn(text, at + size)) return UNCLEAR;
  return size < least || value > 0x10ffff ? null : told(value, at + size);
}

function percent(text: string, at: number): Read {
  const next = text.charCodeAt(at);
  return next === 0x75 || next === 0x55 ? hexAt(text, at + 1, 4, 4) : hexAt(text, at, 2, 2);
}

function backslash(text: string, at: number, depth: number): Read {
  if (at >= text.length) return null;
  const kind = text.charCodeAt(at);
  if (isStarter(kind) && (depth > 0 || kind !== BACKSLASH)) return escaped(text, at, kind, depth);
  if (!isAlphanumeric(kind)) return told(kind, at + 1);
  if (kind === 0x78 || kind === 0x55)
    return hexAt(text, at + 1, kind === 0x78 ? 2 : 8, kind === 0x78 ? 2 : 8);
  if (kind === 0x75) {
    if (text.charCodeAt(at + 1) !== 0x7b) return hexAt(text, at + 1, 4, 4);
    const code = hexAt(text, at + 2, 1, LONGEST_CSS);
    if (code === null || code === UNCLEAR) return code;
    if (goesOn(text, code.end)) return UNCLEAR;
    return text.charCodeAt(code.end) === 0x7d ? told(code.units[0]!, code.end + 1) : null;
  }
  const short = SHORT[kind];
  if (short !== undefined) return told(short, at + 1);
  const css = hexAt(text, at, 1, LONGEST_CSS);
  if (css === null || css === UNCLEAR) return css;
  const after = text.charCodeAt(css.end);
  if (goesOn(text, css.end)) return UNCLEAR;
  return told(css.units[0]!, after === SPACE || after === 9 || after === 10 ? css.end + 1 : css.end);
}

function named(text: string, at: number): Read {
  const next = text.charCodeAt(at);
  if (isStarter(next)) return goesOn(text, at) ? UNCLEAR : null;
  if (next === 0x23) return numeric(text, at + 1);
  let end = at;
  while (end - at < LONGEST_NAME && isAlphanumeric(text.charCodeAt(end))) end += 1;
  if (end === at) return null;
  if (goesOn(text, end)) return UNCLEAR;
  const whole = `&${text.slice(at, end)}${text[end] === ";" ? ";" : ""}`;
  const decoded = decodedName(whole);
  if (decoded === whole) return null;
  // Old names need no semicolon: what is left over comes after them.
  return told(decoded.codePointAt(0)!, at - 1 + whole.length - ([...decoded].length - 1));
}

/** Texts repeat the few names that they have. */
const MOST_NAMES = 4096;
const names = new Map<string, string>();

function decodedName(whole: string): string {
  const known = names.get(whole);
  if (known !== undefined) return known;
  if (names.size === MOST_NAMES) names.clear();
  const decoded = decodeHTML(whole);
  names.set(whole, decoded);
  return decoded;
}

function numeric(text: string, at: number): Read {
  if (goesOn(text, at)) return UNCLEAR;
  const isX = (text.charCodeAt(at) | 32) === 0x78;
  const from = isX ? at + 1 : at;
  let end = from;
  while (end - from < LONGEST_NUMBER && (isX ? isHex(text.charCodeAt(end)) : isDigit(text.charCodeAt(end))))
    end += 1;
  if (goesOn(text, end)) return UNCLEAR;
  const value = end === from ? Number.NaN : Number.parseInt(text.slice(from, end), isX ? 16 : 10);
  return value <= 0x10ffff ? told(value, text[end] === ";" ? end + 1 : end) : null;
}

const STARTERS = /[%&\\]/g;

function nextStarter(text: string, from: number): number {
  STARTERS.lastIndex = from;
  return STARTERS.test(text) ? STARTERS.lastIndex - 1 : text.length;
}

/**
 * A quick look whether a text could hold one of the needles at all: no where the whole search would find none. Yes says little.
 * @param possible bytes that what is decoded may have @param least units of the shortest needle
 */
export function createGlance(
  needles: readonly Needle[],
  possible: Uint8Array,
  least: number,
): (text: string, decodings: number) => boolean {
  const plain = needles
    .filter(({ characters }) => !characters.flat(2).includes(0))
    .map(({ characters }) => characters);
  const isLiteral = (characters: Needle["characters"]) =>
    characters.every((forms) => forms.length === 1 && forms[0]!.length === 1 && forms[0]![0] !== SPACE);
  const literals = plain
    .filter(isLiteral)
    .map((characters) => String.fromCharCode(...characters.map(([form]) => form![0]!)));
  const patterns = plain.filter((characters) => !isLiteral(characters)).map(patternOf);
  const before = new Map<number, Set<number>>();
  const first = new Set<number>();
  for (const { characters } of needles)
    for (const [index, forms] of characters.entries())
      for (const form of forms)
        for (const [place, unit] of form.entries()) {
          const known = before.get(unit) ?? new Set();
          before.set(unit, known);
          if (index === 0 && place === 0) first.add(unit);
          const previous =
            place > 0 ? [form[place - 1]!] : (characters[index - 1] ?? []).map((one) => one.at(-1)!);
          for (const one of previous) known.add(one);
        }
  const shortest = Math.ceil((least * 8) / 6);

  /** Whether a value may go on at a place with an escape that means a unit there. */
  function fits(text: string, at: number, unit: number): boolean {
    if (unit === PLUS && before.has(SPACE) && fits(text, at, SPACE)) return true;
    const known = before.get(unit);
    if (!known) return false;
    const previous = text.charCodeAt(at - 1);
    return first.has(unit) || known.has(previous) || (previous === PLUS && known.has(SPACE));
  }

  function holdsRun(text: string, decodings: number): boolean {
    for (let from = 0; from + shortest <= text.length; ) {
      let at = from + shortest - 1;
      while (at >= from && runValue(text.charCodeAt(at)) >= 0) at -= 1;
      if (at >= from) {
        from = at + 1;
        continue;
      }
      let to = from + shortest;
      while (to < text.length && runValue(text.charCodeAt(to)) >= 0) to += 1;
      if (mayDecode(text, from, to) && decodes(text.slice(from, to), decodings)) return true;
      from = to + 1;
    }
    return false;
  }

  /** Whether one of the four ways to begin yields enough possible bytes, or there are enough hex digits. */
  function mayDecode(text: string, from: number, to: number): boolean {
    let hex = 0;
    const stretch = [0, 0, 0, 0];
    let last = 0;
    let count = 0;
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 10 || unit === 13) continue;
      hex = isHex(unit) ? hex + 1 : 0;
      if (hex >= least * 2) return true;
      const value = runValue(unit);
      for (let first = 0; first < 4 && first < count; first++) {
        const phase = (count - first) & 3;
        if (phase === 0) continue;
        const byte = ((last << (phase * 2)) | (value >> (6 - phase * 2))) & 255;
        stretch[first] = possible[byte] === 1 ? stretch[first]! + 1 : 0;
        if (stretch[first]! >= least) return true;
      }
      last = value;
      count += 1;
    }
    return false;
  }

  const decodes = (run: string, decodings: number): boolean =>
    decodeRuns(unitsOf(run, decodings), least, ({ bytes }) => {
      let from = 0;
      for (let at = 0; at <= bytes.length; at++) {
        if (at < bytes.length && possible[bytes[at]!] === 1) continue;
        if (at - from >= least && glance(latin1(bytes, from, at), decodings - 1)) return true;
        from = at + 1;
      }
      return false;
    });

  function glance(text: string, decodings: number): boolean {
    if (text.includes("\0")) return true;
    if (literals.some((one) => text.includes(one)) || patterns.some((one) => one.test(text))) return true;
    if (decodings > 0 && holdsRun(text, decodings)) return true;
    const read: string[] = [];
    let kept = 0;
    for (let at = nextStarter(text, 0); at < text.length; at = nextStarter(text, at)) {
      const meaning = meaningOf(text, text.charCodeAt(at), at + 1, 0);
      if (meaning === UNCLEAR) return true;
      if (meaning === null) {
        at += 1;
        continue;
      }
      for (const one of meaning.units) if (fits(text, at, one)) return true;
      read.push(text.slice(kept, at), String.fromCodePoint(meaning.units.at(-1)!));
      kept = meaning.end;
      at = kept;
    }
    if (kept === 0 || decodings === 0) return false;
    read.push(text.slice(kept));
    return holdsRun(read.join(""), decodings);
  }
  return glance;
}

function patternOf(characters: Needle["characters"]): RegExp {
  const sign = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`;
  const source = characters.map((forms) => {
    const written = forms.filter((form) => form.every((unit) => unit <= 0xffff));
    return `(?:${written.map((form) => form.map((unit) => (unit === SPACE ? "[ +]" : sign(unit))).join("")).join("|")})`;
  });
  return new RegExp(source.join(""));
}
