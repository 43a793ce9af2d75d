import { decodeHTML } from "entities/decode";
import type { Units } from "./units.ts";

const AMPERSAND = 0x26;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;
const LONGEST_NUMBER = 10;
const LONGEST_NAME = 31;
/** CSS takes so many digits for one character. */
const LONGEST_CSS = 6;
const LAST_CODE = 0x10ffff;

const SHORT = new Map(
  Object.entries({ b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

export const isHex = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
/** Of a hex digit. */
export const hexValue = (unit: number): number => (unit & 15) + (unit > 0x39 ? 9 : 0);
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isAlphanumeric = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);

/** Whether a text can hold an escape. */
export const mayEscape = (text: string): boolean => /[%&\\]/.test(text);

/**
 * Takes one layer of escapes off, in place: percent-encoded bytes (RFC 3986) and `%uXXXX`, character references (HTML), and the
 * escapes of JSON, JavaScript and CSS.
 * @param told of each unit that was encoded, with the place in the original text where it stands
 * @returns whether there was one
 */
export function unescapeLayer(units: Units, told: (unit: number, from: number, to: number) => void): boolean {
  const { unit, start, end, count } = units;
  let out = 0;
  for (let at = 0; at < count; ) {
    const here = unit[at]!;
    let size = 0;
    isOpen = false;
    if (here === PERCENT) size = percent(units, at);
    else if (here === BACKSLASH) size = backslash(units, at);
    else if (here === AMPERSAND) size = reference(units, at);
    if (isOpen && size > 0) {
      told(meant, start[at]!, end[at + size - 1]!);
      size = 0;
    }
    if (size > 0) {
      const [from, to] = [start[at]!, end[at + size - 1]!];
      unit[out] = meant;
      start[out] = from;
      end[out] = to;
      told(meant, from, to);
    } else {
      size = 1;
      if (out < at) {
        unit[out] = here;
        start[out] = start[at]!;
        end[out] = end[at]!;
      }
    }
    out += 1;
    at += size;
  }
  units.count = out;
  return out < count;
}

/** What the last escape that was read stands for. Each reader below returns its length in units, 0 when there is none. */
let meant = 0;
/** Whether what follows it may be part of it once that is read: the next layer tells. */
let isOpen = false;

const introduces = (unit: number | undefined): boolean =>
  unit === PERCENT || unit === BACKSLASH || unit === AMPERSAND;

function percent(units: Units, at: number): number {
  const { unit, count } = units;
  const next = at + 1 < count ? unit[at + 1]! : 0;
  if (next === 0x75 || next === 0x55) return hexDigits(units, at + 2, 4, 4) > 0 ? 6 : 0;
  return hexDigits(units, at + 1, 2, 2) > 0 ? 3 : 0;
}

function backslash(units: Units, at: number): number {
  const { unit, count } = units;
  if (at + 1 >= count) return 0;
  const kind = unit[at + 1]!;
  if (!isAlphanumeric(kind)) {
    meant = kind;
    isOpen = kind !== BACKSLASH && introduces(kind);
    return 2;
  }
  if (kind === 0x78 && hexDigits(units, at + 2, 2, 2) > 0) return 4;
  if (kind === 0x55 && hexDigits(units, at + 2, 8, 8) > 0) return 10;
  if (kind === 0x75) {
    if (hexDigits(units, at + 2, 4, 4) > 0) return 6;
    const size = unit[at + 2] === 0x7b ? hexDigits(units, at + 3, 1, LONGEST_CSS) : 0;
    return size > 0 && unit[at + 3 + size] === 0x7d ? size + 4 : 0;
  }
  const short = SHORT.get(kind);
  if (short !== undefined) {
    meant = short;
    return 2;
  }
  const css = hexDigits(units, at + 1, 1, LONGEST_CSS);
  if (css === 0) return 0;
  const after = at + 1 + css < count ? unit[at + 1 + css]! : 0;
  isOpen = css < LONGEST_CSS && introduces(after);
  return css + (after === 0x20 || after === 9 || after === 10 ? 2 : 1);
}

/** How many there are, up to `most`; 0 for fewer than `least`. */
function hexDigits({ unit, count }: Units, at: number, least: number, most: number): number {
  let size = 0;
  let value = 0;
  while (size < most && at + size < count && isHex(unit[at + size]!)) {
    value = value * 16 + hexValue(unit[at + size]!);
    size += 1;
  }
  if (size < least || value > LAST_CODE) return 0;
  meant = value;
  return size;
}

function reference(units: Units, at: number): number {
  const { unit, count } = units;
  const next = at + 1 < count ? unit[at + 1]! : 0;
  if (next !== 0x23) return isAlphanumeric(next) ? named(units, at) : 0;
  const x = at + 2 < count ? unit[at + 2]! : 0;
  const isX = x === 0x78 || x === 0x58;
  const from = at + (isX ? 3 : 2);
  const size = isX ? hexDigits(units, from, 1, LONGEST_NUMBER) : decimalDigits(units, from);
  if (size === 0) return 0;
  const end = from + size;
  const after = end < count ? unit[end]! : 0;
  isOpen = introduces(after);
  return end - at + (after === SEMICOLON ? 1 : 0);
}

function decimalDigits({ unit, count }: Units, at: number): number {
  let size = 0;
  let value = 0;
  while (size < LONGEST_NUMBER && at + size < count && isDigit(unit[at + size]!)) {
    value = value * 10 + hexValue(unit[at + size]!);
    size += 1;
  }
  if (value > LAST_CODE) return 0;
  meant = value;
  return size;
}

function named({ unit, count }: Units, at: number): number {
  let name = "";
  while (name.length < LONGEST_NAME && at + 1 + name.length < count) {
    const letter = unit[at + 1 + name.length]!;
    if (!isAlphanumeric(letter)) break;
    name += String.fromCharCode(letter);
  }
  const after = at + 1 + name.length < count ? unit[at + 1 + name.length]! : 0;
  const isClosed = after === SEMICOLON;
  isOpen = introduces(after);
  const whole = `&${name}${isClosed ? ";" : ""}`;
  const decoded = decodeHTML(whole);
  if (decoded === whole) return 0;
  meant = decoded.codePointAt(0) ?? AMPERSAND;
  // Old names need no semicolon: what is left over comes after them.
  const rest = [...decoded].length - 1;
  return whole.length - rest;
}
