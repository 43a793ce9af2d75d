import { cut, plainText, withoutInvisible } from "./format/error-text.ts";

/** Most bytes of JSON that an answer has: it is to fit into a model's context beside much else. */
export const ANSWER_BYTES = 10_000;

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** As many of the items as fit into so many bytes of JSON, but one at least. */
export function fitting<Item>(items: readonly Item[], bytes: number): Item[] {
  let left = bytes;
  const end = items.findIndex((item, at) => {
    left -= bytesOf(item) + 1;
    return left < 0 && at > 0;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Recorded text for an answer: plain, without what nobody sees, and at most so many characters. */
export const told = (text: string, most: number): string => cut(withoutInvisible(plainText(text)), most);

export const toldOrNull = (text: string | null | undefined, most: number): string | null =>
  text === null || text === undefined ? null : told(text, most);

/**
 * Takes out of recorded values what their reader may not have. It comes before anything is cut: of half a secret nothing
 * tells that it is one.
 */
export type Clean = <Value>(value: Value) => Value;

/** For readers who may have all of it. */
export const asRecorded: Clean = (value) => value;

const LONGEST_STRING = 240;
const MOST_MEMBERS = 12;
const DEEPEST = 6;

/** JSON of any size as an answer can carry it: long strings are cut, long lists and deep parts end early. */
export function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return told(value, LONGEST_STRING);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) {
    const members = value.slice(0, MOST_MEMBERS).map((member) => shortened(member, depth + 1));
    return value.length > MOST_MEMBERS ? [...members, `… ${value.length - MOST_MEMBERS} more`] : members;
  }
  const members = Object.entries(value).slice(0, 2 * MOST_MEMBERS);
  return Object.fromEntries(members.map(([name, member]) => [cut(name, 100), shortened(member, depth + 1)]));
}
