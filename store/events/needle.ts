/** What a text search looks for in stored lines. */
export interface Needle {
  bytes: Buffer;
  /** The bytes to look in: the stored ones, or a copy of them of the same length in one case. */
  prepare(data: Buffer): Buffer;
  /** Whether a line that has the bytes at `hit` and ends at `end` (its line end excluded) counts. */
  accepts(data: Buffer, hit: number, end: number): boolean;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const SPACE = 32;
const LINE_END = 10;
const COMMA = 44;
const BRACKET = 93;

/** Fields that name or place an event. A piece of them says nothing about it, and would be found in every line. */
const IDENTIFIERS = new Set([
  "seq",
  "ts",
  "kind",
  "step_id",
  "parent_step_id",
  "request_id",
  "page",
  "frame",
]);

/** Looks for the text as it stands in the line. */
export function exactNeedle(text: string): Needle {
  return { bytes: Buffer.from(text), prepare: (data) => data, accepts: () => true };
}

/**
 * Looks for the text in the values of the line: not in field names, and in what names the event only as a whole. Letters
 * a to z match in either case unless the text has a capital.
 */
export function looseNeedle(text: string): Needle {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1));
  const isFolded = !/\p{Lu}/u.test(text);
  return {
    bytes,
    prepare: (data) => (isFolded ? lowerCase(data) : data),
    accepts(data, hit, end) {
      const isClosing = closingQuotes(data, hit, end);
      for (let at = hit; at !== -1 && at < end; ) {
        const next = skipFrom(data, at, bytes.length, end, isClosing);
        if (next === null) return true;
        at = data.indexOf(bytes, next);
      }
      return false;
    },
  };
}

/** Null when the hit is in a value; else where to look on, past the string or number that it is in. */
function skipFrom(
  data: Buffer,
  hit: number,
  length: number,
  end: number,
  isClosing: (quote: number) => boolean,
): number | null {
  const open = quoteBefore(data, hit);
  const before = open === -1 ? -1 : lastBeforeSpace(data, open - 1);
  const after = lastAfterSpace(data, open + 1);
  // The quote before a number of a field closes its name; the one before text opens it.
  const isNumber = open !== -1 && data[after] === COLON && after < hit && isClosing(open);
  if (isNumber) {
    const isOwn = isScalar(data, lastAfterSpace(data, after + 1), hit);
    if (!isOwn || !IDENTIFIERS.has(nameBefore(data, open))) return null;
    const isWhole = !isDigit(data[hit - 1]) && !isDigit(data[hit + length]);
    return isWhole ? null : afterDigits(data, hit + length);
  }
  const close = quoteAfter(data, hit + length, end);
  if (data[lastAfterSpace(data, close + 1)] === COLON) {
    // A name, unless what follows is a text that begins with a colon, in a list with the number or word that was hit.
    const isBare = endsValue(data, hit + length) && open !== -1 && isClosing(open);
    return isBare ? null : close + 1;
  }
  if (data[before] !== COLON) return null;
  const isWhole = hit === open + 1 && hit + length === close;
  if (isWhole || !IDENTIFIERS.has(nameBefore(data, lastBeforeSpace(data, before - 1)))) return null;
  return close + 1;
}

/** The field name whose closing quote is at `close`. */
function nameBefore(data: Buffer, close: number): string {
  const open = quoteBefore(data, close);
  return data.toString("latin1", open + 1, close);
}

/**
 * Tells of the quotes of the line that has `hit`, asked from left to right, whether one ends a text. One that opens a text that
 * begins with a colon looks the same from there. Each quote of the line is counted once, however many are asked about.
 */
function closingQuotes(data: Buffer, hit: number, end: number): (quote: number) => boolean {
  let next = -1;
  let count = 0;
  return (quote) => {
    if (next === -1) next = quoteAfter(data, data.lastIndexOf(LINE_END, hit) + 1, end);
    for (; next < quote; next = quoteAfter(data, next + 1, end)) count += 1;
    return count % 2 === 1;
  };
}

const LONGEST_NUMBER = 40;

/** Whether what stands from `first` up to `hit` is the beginning of one number or word: no list, and no second value. */
const isScalar = (data: Buffer, first: number, hit: number): boolean =>
  hit - first <= LONGEST_NUMBER && /^[\w+.-]*$/.test(data.toString("latin1", first, hit));

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/** Whether a number or word that goes on at a position is an entry of a list there. */
function endsValue(data: Buffer, position: number): boolean {
  let at = position;
  while (/[\w+.-]/.test(String.fromCharCode(data[at] ?? 0))) at += 1;
  const after = data[lastAfterSpace(data, at)];
  return after === COMMA || after === BRACKET;
}

function afterDigits(data: Buffer, position: number): number {
  let at = position;
  while (isDigit(data[at])) at += 1;
  return at;
}

/** The last quote before a position that is not part of a text, -1 when there is none. */
function quoteBefore(data: Buffer, position: number): number {
  let at = position - 1;
  for (;;) {
    at = at < 0 ? -1 : data.lastIndexOf(QUOTE, at);
    if (at === -1 || !isEscaped(data, at)) return at;
    at -= 1;
  }
}

/** The first quote at or after a position that is not part of a text, `end` when there is none. */
function quoteAfter(data: Buffer, position: number, end: number): number {
  let at = position;
  for (;;) {
    at = data.indexOf(QUOTE, at);
    if (at === -1 || at >= end) return end;
    if (!isEscaped(data, at)) return at;
    at += 1;
  }
}

function isEscaped(data: Buffer, quote: number): boolean {
  let at = quote - 1;
  while (data[at] === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}

function lastBeforeSpace(data: Buffer, position: number): number {
  let at = position;
  while (data[at] === SPACE) at -= 1;
  return at;
}

function lastAfterSpace(data: Buffer, position: number): number {
  let at = position;
  while (data[at] === SPACE) at += 1;
  return at;
}

/** A copy with the letters A to Z made small. */
export function lowerCase(data: Buffer): Buffer {
  const out = Buffer.allocUnsafe(data.length);
  for (let at = 0; at < data.length; at++) {
    const byte = data[at]!;
    out[at] = byte >= 65 && byte <= 90 ? byte | 32 : byte;
  }
  return out;
}
