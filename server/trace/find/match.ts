import { lowerCase } from "../../../store/events/needle.ts";

const BEFORE = 60;
const AFTER = 240;
const MOST_COUNTED = 100;
const SAMPLE = 1_024;

/** Where a body has the text: bytes before the first match, what stands around it, and how often it is there. */
export interface BodyMatch {
  excerpt: { before: string; match: string; after: string };
  place: number;
  count: number;
}

/** Looks for a text in bodies: letters a to z in either case while the text has no capital. */
export function bodyMatcher(text: string): (body: Buffer) => BodyMatch | null {
  const needle = Buffer.from(text);
  const isFolded = !/\p{Lu}/u.test(text);
  return (body) => {
    const folded = isFolded ? lowerCase(body) : body;
    const place = folded.indexOf(needle);
    if (place === -1) return null;
    const end = place + needle.length;
    let count = 0;
    for (let at = place; at !== -1 && count < MOST_COUNTED; at = folded.indexOf(needle, at + needle.length))
      count += 1;
    return {
      excerpt: {
        before: decode(body.subarray(Math.max(0, place - BEFORE), place)),
        match: decode(body.subarray(place, end)),
        after: decode(body.subarray(end, end + AFTER)),
      },
      place,
      count,
    };
  };
}

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
const decode = (bytes: Buffer) => decoder.decode(bytes).replace(/^\uFFFD+|\uFFFD+$/g, "");
