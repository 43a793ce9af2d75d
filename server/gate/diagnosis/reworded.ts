import { squashed } from "./page-model.ts";

/**
 * The expected text with the words that changed in its element. Null when more than its words changed, so that it cannot be
 * told which part of the new text is meant.
 * @param was text of the element, of which the expected text may be a part
 */
export function reworded(expected: string, was: string, is: string): string | null {
  if (squashed(was) === squashed(expected)) return respaced(expected, was, is);
  // A part of the element's text: what stands before and behind it stays as it was.
  const at = was.indexOf(expected);
  if (at < 0) return respaced(expected, was, is);
  const [head, tail] = [was.slice(0, at), was.slice(at + expected.length)];
  const isKept = is.length > head.length + tail.length && is.startsWith(head) && is.endsWith(tail);
  if (isKept) return is.slice(head.length, is.length - tail.length).trim();
  return afterwards(expected, head, tail, is);
}

/** What follows an expected beginning is data that changes with every run, such as a number: it ends where the words end. */
function afterwards(expected: string, head: string, tail: string, is: string): string | null {
  if (beforeData(tail) !== "" || !is.startsWith(head)) return null;
  const words = beforeData(is.slice(head.length))?.trim();
  return words ? words + (/\s$/.test(expected) ? " " : "") : null;
}

/** A text up to the data at its end, a word with a digit or a sign of money in it, and to the colon before that; null where it ends otherwise. */
function beforeData(text: string): string | null {
  for (const whole of [text, text.replace(/[.!]$/, "")]) {
    const end = runBefore(whole, whole.length, /\s/);
    const start = runBefore(whole, end, /\S/);
    if (/[\d$€£@]/.test(whole.slice(start, end))) return whole.slice(0, runBefore(whole, start, /[\s:]/));
  }
  return null;
}

/** Where the run of such letters begins that ends at a place. */
function runBefore(text: string, end: number, letter: RegExp): number {
  let start = end;
  while (start > 0 && letter.test(text[start - 1]!)) start--;
  return start;
}

/** Markup has other spaces than what people see: where only words changed, those of the expected text stay. */
function respaced(expected: string, was: string, is: string): string | null {
  const pieces = (text: string) => text.match(/[\p{L}\p{N}'’-]+|[^\p{L}\p{N}\s]/gu) ?? [];
  const [old, now] = [pieces(was), pieces(is)];
  if (
    squashed(was) === squashed(expected) &&
    !/\$\{/.test(expected) &&
    is === oneSpace(is) &&
    was === expected
  )
    return is;
  if (old.length !== now.length || squashed(was) !== squashed(expected)) return null;
  let at = 0;
  let result = "";
  for (const [place, piece] of old.entries()) {
    const next = expected.indexOf(piece, at);
    if (next < 0) return null;
    result += expected.slice(at, next) + now[place]!;
    at = next + piece.length;
  }
  return result + expected.slice(at);
}

const oneSpace = (text: string): string => text.replace(/\s+/g, " ").trim();
