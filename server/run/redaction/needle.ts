/** A value to be found. */
export interface Needle {
  /** For each of its characters the sequences of units that mean it. */
  readonly characters: readonly (readonly (readonly number[])[])[];
  /** Found as a word of its own only: not within others, nor as a colour or a fraction. */
  readonly isWord: boolean;
}

/** What a place of a text means beside itself, and where the next one begins. */
export interface Reading {
  unit: number;
  end: number;
}

/** A text, and what places of it stand for. */
export interface ReadText {
  readonly text: string;
  readonly readings: ReadonlyMap<number, readonly Reading[]>;
}

const PLUS = 0x2b;
const SPACE = 0x20;
const LINE_BREAK = [[10], [13, 10]];

/** What is to be looked for where a value may stand: as characters or UTF-8, and as UTF-16 in either order of its bytes. */
export function needlesOf(value: string, isWord: boolean): Needle[] {
  const plain = value.replaceAll("\r\n", "\n");
  const utf16 = new Set([utf16Of(plain, "little").join(" "), utf16Of(plain, "big").join(" ")]);
  return [
    { characters: [...plain].map(formsOf), isWord },
    ...[...utf16].map((bytes) => ({ characters: bytes.split(" ").map((byte) => [[Number(byte)]]), isWord })),
  ];
}

function formsOf(character: string): number[][] {
  if (character === "\n") return LINE_BREAK;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return [[code]];
  const bytes = [...new TextEncoder().encode(character)];
  const isPair = code > 0xffff;
  return isPair ? [[code], [character.charCodeAt(0), character.charCodeAt(1)], bytes] : [[code], bytes];
}

/** Without a zero at its ends: Latin text is the same then in either order. */
function utf16Of(text: string, order: "little" | "big"): number[] {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const [high, low] = [text.charCodeAt(at) >> 8, text.charCodeAt(at) & 255];
    bytes.push(...(order === "little" ? [low, high] : [high, low]));
  }
  if (order === "little" && bytes.at(-1) === 0) bytes.pop();
  if (order === "big" && bytes[0] === 0) bytes.shift();
  return bytes;
}

/** Where the value ends that begins at a place, written as long as it can be; -1 when it does not begin there. */
export function endOf(read: ReadText, { characters, isWord }: Needle, from: number): number {
  if (!isBegun(read, characters, from)) return -1;
  let places = [from];
  for (const forms of characters) {
    const next: number[] = [];
    for (const place of places) for (const form of forms) follow(read, form, 0, place, next);
    if (next.length === 0) return -1;
    places = next;
  }
  const end = Math.max(...places);
  return isWord && !standsAlone(read.text, from, end) ? -1 : end;
}

/** Whether the second character may be there too: most places are ruled out by it. */
function isBegun({ text, readings }: ReadText, [first, second]: Needle["characters"], from: number): boolean {
  if (!first || !second || text.charCodeAt(from) !== first[0]?.[0] || first.length > 1) return true;
  if (readings.has(from) || readings.has(from + 1)) return true;
  const next = text.charCodeAt(from + 1);
  return next === PLUS || second.some(([unit]) => unit === next);
}

/** Adds the places behind a sequence of units that begins at a place. */
function follow(read: ReadText, units: readonly number[], index: number, at: number, ends: number[]): void {
  const unit = units[index];
  if (unit === undefined) {
    if (!ends.includes(at)) ends.push(at);
    return;
  }
  const here = read.text.charCodeAt(at);
  if (here === unit || (here === PLUS && unit === SPACE)) follow(read, units, index + 1, at + 1, ends);
  for (const reading of read.readings.get(at) ?? [])
    if (reading.unit === unit) follow(read, units, index + 1, reading.end, ends);
}

/** An escape: what ends with one is part of no word. */
const ESCAPE_END = /(?:%[\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[nrtbfv])$/i;
const LONGEST_ESCAPE = 6;

function standsAlone(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - LONGEST_ESCAPE), from);
  if (/[\w#.]$/.test(before) && !ESCAPE_END.test(before)) return false;
  return !/\w/.test(text.charAt(to));
}
