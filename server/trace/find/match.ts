import { lowerCase } from "../../../store/events/needle.ts";

/** Bytes around a match. */
export interface Margins {
  before: number;
  after: number;
}
/** Those that are shown. */
export const SHOWN: Margins = { before: 60, after: 240 };
/** Matches that are counted. */
export const MOST_COUNTED = 100;
const SAMPLE = 1_024;

/** Where a body has the text: bytes before the first match, what stands around it, and how often it is there. */
export interface BodyMatch {
  excerpt: { before: string; match: string; after: string };
  place: number;
  count: number;
}

/** Looks for a text in one body, which may come in pieces. */
export interface BodyMatcher {
  /** Takes the next piece. @returns whether more of the body would tell more */
  push(piece: Buffer): boolean;
  /** What the body has; null when nothing. */
  result(): BodyMatch | null;
}

interface First {
  place: number;
  before: Buffer;
  match: Buffer;
  after: Buffer;
}

/** Looks for a text in a body: letters a to z in either case while the text has no capital. */
export function createBodyMatcher(text: string, { before, after }: Margins = SHOWN): BodyMatcher {
  const needle = Buffer.from(text);
  const isFolded = hasNoCapital(text);
  let first: First | null = null;
  let count = 0;
  /** The end of what was looked at, and the place of its first byte: a match may begin there. */
  let kept: Buffer = Buffer.alloc(0);
  let keptAt = 0;
  /** Where the next match may begin. */
  let next = 0;

  function found(data: Buffer, at: number): First {
    const end = at + needle.length;
    return {
      place: keptAt + at,
      before: Buffer.from(data.subarray(Math.max(0, at - before), at)),
      match: Buffer.from(data.subarray(at, end)),
      after: Buffer.from(data.subarray(end, end + after)),
    };
  }

  return {
    push(piece) {
      if (first && first.after.length < after)
        first.after = Buffer.concat([first.after, piece.subarray(0, after - first.after.length)]);
      const data = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
      const folded = isFolded ? lowerCase(data) : data;
      for (let at = folded.indexOf(needle, next - keptAt); at !== -1 && count < MOST_COUNTED; ) {
        first ??= found(data, at);
        count += 1;
        next = keptAt + at + needle.length;
        at = folded.indexOf(needle, at + needle.length);
      }
      const from = Math.max(0, data.length - (needle.length - 1 + before));
      kept = data.subarray(from);
      keptAt += from;
      next = Math.max(next, keptAt);
      return count < MOST_COUNTED || first!.after.length < after;
    },
    result: () =>
      first && {
        excerpt: { before: decode(first.before), match: decode(first.match), after: decode(first.after) },
        place: first.place,
        count,
      },
  };
}

/** Whether letters match in either case: who types a capital means it. */
export const hasNoCapital = (text: string): boolean => !/\p{Lu}/u.test(text);

/** Bodies of an unknown type: text has no NUL, and little that is no sign. */
export function looksLikeText(body: Buffer): boolean {
  const sample = body.subarray(0, SAMPLE);
  let odd = 0;
  for (const byte of sample) {
    if (byte === 0) return false;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12) odd += 1;
  }
  return odd <= sample.length / 20;
}

const decoder = new TextDecoder();
/** A piece may begin or end inside a character. */
const decode = (bytes: Buffer) => decoder.decode(bytes).replace(/^\uFFFD+|(?<!\uFFFD)\uFFFD+$/g, "");
