import type { Difference } from "./differences.ts";

const LONGEST = 2_000;

/** That an answer says the same text, read in another encoding, as a clause; empty where it does not. */
export function otherEncoding({ before, now }: Difference): string {
  if (typeof before !== "string" || typeof now !== "string" || before === now) return "";
  if (before.length > LONGEST || now.length > LONGEST || !/[^\0-\x7f]/.test(before)) return "";
  const bytes = new TextEncoder().encode(before);
  const misread = [String.fromCharCode(...bytes), new TextDecoder("windows-1252").decode(bytes)];
  return misread.some((text) => bare(text) === bare(now))
    ? ": the same text, encoded as UTF-8 and read in another encoding (Latin-1)"
    : "";
}

/** Control characters are lost on the way. */
const bare = (text: string): string => text.replace(/[\u0080-\u009f]/g, "");
