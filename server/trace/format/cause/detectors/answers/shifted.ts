import { valueAt } from "../../exchanges/difference-words.ts";

const MOST_LISTS = 5;
const MOST_ITEMS = 200;
const MOST_PLACES = 5;
/** Fewer items are the same by chance. */
const FEWEST_SAME = 3;

/**
 * By how many places the part of a list begins further on than in the passes, or earlier, as a clause; empty where it does not.
 *
 * @param mine the answer, and `theirs` those of passes to the same question, without what varies
 */
export function shiftedBy(mine: unknown, theirs: readonly unknown[], path: string): string {
  const now = writtenAt(mine, path);
  for (const other of theirs.slice(-MOST_LISTS)) {
    const before = writtenAt(other, path);
    for (let places = 1; places <= MOST_PLACES; places++) {
      const by = places === 1 ? "one item" : `${places} items`;
      if (isAhead(now, before, places)) return `; it begins ${by} further on than there`;
      if (isAhead(before, now, places)) return `; it begins ${by} earlier than there`;
    }
  }
  return "";
}

const writtenAt = (value: unknown, path: string): string[] => {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.slice(0, MOST_ITEMS).map((item) => JSON.stringify(item)) : [];
};

/** Whether all but the last items of a list are those of another one from some place on. */
function isAhead(list: readonly string[], other: readonly string[], places: number): boolean {
  const same = other.slice(places);
  return (
    list.length === other.length &&
    same.length >= FEWEST_SAME &&
    new Set(other).size === other.length &&
    same.every((item, at) => item === list[at])
  );
}
