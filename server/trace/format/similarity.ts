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
  const letters = counted(pairsOf(mine));
  const words = counted(mine.split(" "));
  return (other) => {
    const theirs = bare(other);
    if (mine === "" || theirs === "") return 0;
    if (mine === theirs) return 1;
    return Math.max(dice(letters, pairsOf(theirs)), 0.95 * dice(words, theirs.split(" ")));
  };
}

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Two letters as one number; of a text of one letter, that one. */
function pairsOf(text: string): Uint32Array {
  const pairs = new Uint32Array(Math.max(1, text.length - 1));
  if (text.length === 1) pairs[0] = text.charCodeAt(0);
  for (let at = 0; at < text.length - 1; at++)
    pairs[at] = text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
  return pairs;
}

function counted<Part>(parts: ArrayLike<Part> & Iterable<Part>): Counted<Part> {
  const counts = new Map<Part, number>();
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  return { counts, size: parts.length };
}

function dice<Part>({ counts, size }: Counted<Part>, others: ArrayLike<Part> & Iterable<Part>): number {
  const taken = new Map<Part, number>();
  let shared = 0;
  for (const part of others) {
    const times = counts.get(part);
    if (times === undefined) continue;
    const before = taken.get(part) ?? 0;
    if (before === times) continue;
    taken.set(part, before + 1);
    shared++;
  }
  return (2 * shared) / (size + others.length);
}
