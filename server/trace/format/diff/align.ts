import { diffArrays } from "diff";

/** Places in both sequences that belong together; null where the other has nothing for it. */
export type Pair =
  | readonly [a: number, b: number]
  | readonly [a: number, b: null]
  | readonly [a: null, b: number];

/** Edits past which the shortest script is no longer looked for: its cost grows with their square. */
const MOST_EDITS = 800;
const MOST_SPLITS = 6;

/**
 * Aligns two sequences so that most equal entries stand together in order (Myers, An O(ND) Difference Algorithm, 1986).
 * Sequences too different for that are split at entries that are unique in both (patience diff) first. Swapping the
 * sequences gives the same pairs swapped.
 */
export function align(a: readonly string[], b: readonly string[]): Pair[] {
  if (isBefore(b, a)) return inOrder(align(b, a).map(([one, other]) => [other, one] as Pair));
  const numbers = new Map<string, number>();
  const number = (key: string) => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };
  const pairs: Pair[] = [];
  alignPart(
    { keys: a.map(number), from: 0, to: a.length },
    { keys: b.map(number), from: 0, to: b.length },
    pairs,
    0,
  );
  return pairs;
}

/** As `align`; what stays alone between two aligned places is aligned once more by its weaker keys. */
export function alignTwice(
  a: { strong: readonly string[]; weak: readonly string[] },
  b: { strong: readonly string[]; weak: readonly string[] },
): Pair[] {
  const pairs: Pair[] = [];
  let left: number[] = [];
  let right: number[] = [];
  function closeGap() {
    if (left.length > 0 && right.length > 0) {
      const again = align(
        left.map((at) => a.weak[at]!),
        right.map((at) => b.weak[at]!),
      );
      for (const [one, other] of again)
        pairs.push([one === null ? null : left[one]!, other === null ? null : right[other]!] as Pair);
    } else {
      for (const at of left) pairs.push([at, null]);
      for (const at of right) pairs.push([null, at]);
    }
    left = [];
    right = [];
  }
  for (const pair of align(a.strong, b.strong)) {
    if (pair[1] === null) left.push(pair[0]);
    else if (pair[0] === null) right.push(pair[1]);
    else {
      closeGap();
      pairs.push(pair);
    }
  }
  closeGap();
  return pairs;
}

interface Part {
  keys: readonly number[];
  from: number;
  /** Excluded. */
  to: number;
}

function alignPart(a: Part, b: Part, pairs: Pair[], splits: number): void {
  let [fromA, fromB, toA, toB] = [a.from, b.from, a.to, b.to];
  while (fromA < toA && fromB < toB && a.keys[fromA] === b.keys[fromB]) pairs.push([fromA++, fromB++]);
  let tail = 0;
  while (fromA < toA - tail && fromB < toB - tail && a.keys[toA - 1 - tail] === b.keys[toB - 1 - tail])
    tail += 1;
  toA -= tail;
  toB -= tail;
  alignMiddle({ ...a, from: fromA, to: toA }, { ...b, from: fromB, to: toB }, pairs, splits);
  for (let at = 0; at < tail; at++) pairs.push([toA + at, toB + at]);
}

function alignMiddle(a: Part, b: Part, pairs: Pair[], splits: number): void {
  if (a.from === a.to || b.from === b.to) {
    apart(a, b, pairs);
    return;
  }
  const changes = diffArrays(a.keys.slice(a.from, a.to), b.keys.slice(b.from, b.to), {
    maxEditLength: MOST_EDITS,
  });
  if (changes) {
    let [atA, atB] = [a.from, b.from];
    for (const { added, removed, value } of changes)
      for (const _ of value) {
        if (added) pairs.push([null, atB++]);
        else if (removed) pairs.push([atA++, null]);
        else pairs.push([atA++, atB++]);
      }
    return;
  }
  const anchors = splits < MOST_SPLITS ? anchorsOf(a, b) : [];
  if (anchors.length === 0) {
    apart(a, b, pairs);
    return;
  }
  let [atA, atB] = [a.from, b.from];
  for (const [nextA, nextB] of anchors) {
    alignPart({ ...a, from: atA, to: nextA }, { ...b, from: atB, to: nextB }, pairs, splits + 1);
    pairs.push([nextA, nextB]);
    [atA, atB] = [nextA + 1, nextB + 1];
  }
  alignPart({ ...a, from: atA }, { ...b, from: atB }, pairs, splits + 1);
}

function apart(a: Part, b: Part, pairs: Pair[]): void {
  for (let at = a.from; at < a.to; at++) pairs.push([at, null]);
  for (let at = b.from; at < b.to; at++) pairs.push([null, at]);
}

/** Entries that are unique in both, as many as stand in the same order. */
function anchorsOf(a: Part, b: Part): [number, number][] {
  const placesB = uniquePlaces(b);
  const shared: [number, number][] = [];
  for (const [key, at] of uniquePlaces(a)) {
    const other = placesB.get(key);
    if (other !== undefined) shared.push([at, other]);
  }
  return longestRising(shared.sort(([one], [other]) => one - other));
}

function uniquePlaces({ keys, from, to }: Part): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  for (let at = from; at < to; at++) {
    const key = keys[at]!;
    if (places.has(key)) repeated.add(key);
    else places.set(key, at);
  }
  for (const key of repeated) places.delete(key);
  return places;
}

/** The longest part whose second numbers rise; the first ones already do. */
function longestRising(pairs: [number, number][]): [number, number][] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, [, value]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < value) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? ends[low - 1]! : -1);
    ends[low] = at;
  }
  const found: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) found.push(pairs[at]!);
  return found.reverse();
}

/** Of what stands alone between two pairs, that of `a` comes first. */
function inOrder(pairs: Pair[]): Pair[] {
  const ordered: Pair[] = [];
  let waiting: Pair[] = [];
  for (const pair of pairs) {
    if (pair[0] === null) waiting.push(pair);
    else {
      if (pair[1] !== null) {
        ordered.push(...waiting);
        waiting = [];
      }
      ordered.push(pair);
    }
  }
  return ordered.concat(waiting);
}

function isBefore(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const at = a.findIndex((key, index) => key !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}
