/** How often each part of a text is in it. */
interface Counted<Part> {
  counts: ReadonlyMap<Part, number>;
  size: number;
}

/** How much another name is like a given one, 0..1. */
export type Likeness = (other: string) => number;

/** 0..1 by the pairs of letters that two names share, and by shared words (Sørensen–Dice). */
export const similarity = (one: string, other: string): number => likenessTo(one)(other);

/** The same of one name and many others: a page has thousands of them. */
export function likenessTo(one: string): Likeness {
  const mine = bare(one);
  const letters = countedOf(pairCount(mine), (at) => pairAt(mine, at));
  const words = mine.split(" ");
  const counted = countedOf(words.length, (at) => words[at]!);
  return (other) => {
    const theirs = bare(other);
    if (mine === "" || theirs === "") return 0;
    if (mine === theirs) return 1;
    const parts = theirs.split(" ");
    return Math.max(
      dice(letters, pairCount(theirs), (at) => pairAt(theirs, at)),
      0.95 * dice(counted, parts.length, (at) => parts[at]!),
    );
  };
}

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const pairCount = (text: string): number => Math.max(1, text.length - 1);

/** Two letters as one number; of a text of one letter, that one. */
const pairAt = (text: string, at: number): number =>
  text.length === 1 ? text.charCodeAt(0) : text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);

function countedOf<Part>(size: number, partAt: (at: number) => Part): Counted<Part> {
  const counts = new Map<Part, number>();
  for (let at = 0; at < size; at++) counts.set(partAt(at), (counts.get(partAt(at)) ?? 0) + 1);
  return { counts, size };
}

function dice<Part>({ counts, size }: Counted<Part>, length: number, partAt: (at: number) => Part): number {
  // Most names share nothing: a map for each of thousands would cost more than all the rest.
  let taken: Map<Part, number> | null = null;
  let shared = 0;
  for (let at = 0; at < length; at++) {
    const part = partAt(at);
    const times = counts.get(part);
    if (times === undefined) continue;
    taken ??= new Map();
    const before = taken.get(part) ?? 0;
    if (before === times) continue;
    taken.set(part, before + 1);
    shared++;
  }
  return (2 * shared) / (size + length);
}
