/** What a value weighs beside its texts, roughly: the object or list itself. */
const OWN_WEIGHT = 64;

/** Roughly what a JSON value weighs in memory, in bytes. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return 16 + 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  let weight = OWN_WEIGHT;
  // Without a list of the values: this is asked of every event.
  if (Array.isArray(value)) for (const inner of value) weight += weightOf(inner);
  else for (const name in value) weight += weightOf((value as Record<string, unknown>)[name]);
  return weight;
}

/**
 * A list that holds at most so many entries, and so many bytes by `weightOf`. When it is full, a quarter of it leaves out of
 * its middle: the beginning of a run tells what it began with, and the end tells more of its failure than the middle.
 * @param onLeave told of each entry that leaves
 */
export function createKeptList<Entry>(
  most: { entries: number; bytes: number },
  onLeave: (entry: Entry) => void = () => {},
) {
  const entries: Entry[] = [];
  const weights: number[] = [];
  let bytes = 0;
  let isCut = false;

  function makeRoom() {
    // One entry alone always stays.
    while (entries.length > 1 && (entries.length > most.entries || bytes > most.bytes)) {
      const from = Math.floor((entries.length - 1) / 2);
      const count = Math.max(1, Math.floor(entries.length / 4));
      for (const weight of weights.splice(from, count)) bytes -= weight;
      for (const entry of entries.splice(from, count)) onLeave(entry);
      isCut = true;
    }
  }

  return {
    /** In order. The same list for ever. */
    entries,
    /** Whether an entry has left. */
    isCut: () => isCut,
    /** @param weight bytes; `weightOf` the entry when absent */
    push(entry: Entry, weight: number = weightOf(entry)): void {
      entries.push(entry);
      weights.push(weight);
      bytes += weight;
      makeRoom();
    },
    /** An entry became heavier by so much after it came in. */
    grow(entry: Entry, by: number): void {
      // What grows came in lately.
      const at = entries.lastIndexOf(entry);
      if (at < 0) return;
      weights[at]! += by;
      bytes += by;
      makeRoom();
    },
  };
}

/** A list that holds the first of what comes: so many entries, and so many bytes by `weightOf`. What comes after is left out. */
export function createBeginning<Entry>(most: { entries: number; bytes: number }) {
  const entries: Entry[] = [];
  let room = most.bytes;
  let isCut = false;
  return {
    /** In order. The same list for ever. */
    entries,
    /** Whether something was left out. */
    isCut: () => isCut,
    /**
     * @param weight bytes; `weightOf` the entry when absent
     * @returns whether it is in
     */
    push(entry: Entry, weight: number = weightOf(entry)): boolean {
      // An end is an end: what is small comes no later than what was too large.
      isCut ||= entries.length >= most.entries || weight > room;
      if (isCut) return false;
      room -= weight;
      entries.push(entry);
      return true;
    },
    /** Whether an entry may become heavier by so much; then it counts. */
    grow(by: number): boolean {
      if (by > room) return false;
      room -= by;
      return true;
    },
  };
}
