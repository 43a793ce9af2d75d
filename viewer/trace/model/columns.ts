/** What a column keeps of a row. `null` and `undefined` are both "missing". */
export type Value = number | string | boolean | null | undefined;

/** The values of one field of many rows. */
export interface Column {
  get(at: number): Value;
  /** `at` is a row that is there already, or the one after the last. */
  set(at: number, value: Value): void;
  /** Makes room for this many rows, and leaves none for more. */
  resize(capacity: number): void;
}

type Missing = null | undefined;
type Whole = Uint8Array | Uint16Array | Uint32Array;
type Fraction = Float32Array | Float64Array;
type Change = Int8Array | Int16Array | Int32Array;

function resized<T extends Whole | Fraction | Change>(values: T, capacity: number): T {
  const next = new (values.constructor as new (length: number) => T)(capacity);
  next.set(values.length > capacity ? (values.subarray(0, capacity) as T) : values);
  return next;
}

/** The narrowest array for whole numbers up to this one. */
function wholes(most: number, capacity: number): Whole {
  if (most <= 0xff) return new Uint8Array(capacity);
  return most <= 0xffff ? new Uint16Array(capacity) : new Uint32Array(capacity);
}

/**
 * Numbers in as few bytes as those that are there need: whole ones from 0 in one, two or four. As soon as another comes,
 * all are kept as fractions, with seven digits when `isCoarse`, else exactly.
 */
export function numbers(missing: Missing, isCoarse: boolean): Column {
  // One more than the value: 0 stands for what is missing. Among fractions NaN does.
  let kept: Whole | Fraction = new Uint8Array(0);
  let most = 0xff;
  let isWhole = true;

  function get(at: number): number | Missing {
    const value = kept[at] ?? 0;
    if (isWhole) return value === 0 ? missing : value - 1;
    return Number.isNaN(value) ? missing : value;
  }

  function toFractions(): void {
    const before = kept;
    const next = isCoarse ? new Float32Array(before.length) : new Float64Array(before.length);
    for (let at = 0; at < before.length; at += 1)
      next[at] = before[at] === 0 ? Number.NaN : (before[at] ?? 0) - 1;
    kept = next;
    isWhole = false;
  }

  return {
    get,
    set(at, value) {
      const isThere = typeof value === "number" && !Number.isNaN(value);
      if (isWhole && isThere) {
        if (!Number.isInteger(value) || value < 0 || value >= 0xffff_ffff || Object.is(value, -0))
          toFractions();
        else if (value >= most) {
          const next = wholes(value + 1, kept.length);
          next.set(kept);
          kept = next;
          most = next.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffff_ffff;
        }
      }
      if (isWhole) kept[at] = isThere ? value + 1 : 0;
      else kept[at] = isThere ? value : Number.NaN;
    },
    resize(capacity) {
      kept = resized(kept, capacity);
    },
  };
}

/** Every how many rows a column of changes keeps the number itself. */
const STRIDE = 32;
const CHANGES = [Int8Array, Int16Array, Int32Array] as const;

/** Numbers that are near to that of the row before, as sequence numbers and times are: what is kept is by how much they differ. */
export function nearNumbers(): Column {
  let changes: Change = new Int8Array(0);
  let width = 0;
  let marks = new Float64Array(0);
  let length = 0;
  /** The numbers themselves, once some are no neighbours. */
  let plain: Float64Array | null = null;
  let last = 0;
  // Who reads row after row, or a row again, need not count from the start.
  let readAt = -1;
  let readValue = 0;

  function get(at: number): number {
    if (plain) return plain[at] ?? 0;
    const start = at - (at % STRIDE);
    const goesOn = readAt >= start && readAt <= at;
    let value = goesOn ? readValue : (marks[start / STRIDE] ?? 0);
    for (let row = (goesOn ? readAt : start) + 1; row <= at; row += 1) value += changes[row] ?? 0;
    readAt = at;
    readValue = value;
    return value;
  }

  function toPlain(): Float64Array {
    const all = new Float64Array(changes.length);
    for (let at = 0; at < length; at += 1) all[at] = get(at);
    changes = new Int8Array(0);
    marks = new Float64Array(0);
    return all;
  }

  function write(at: number, value: number): void {
    readAt = -1;
    if (!plain && (!Number.isSafeInteger(value) || Object.is(value, -0))) plain = toPlain();
    if (plain) {
      plain[at] = value;
      return;
    }
    if (at % STRIDE === 0) {
      marks[at / STRIDE] = value;
      return;
    }
    const change = value - (at === length ? last : get(at - 1));
    while (width < CHANGES.length && !fits(change, width)) {
      width += 1;
      const Wider = CHANGES[width];
      if (!Wider) {
        plain = toPlain();
        plain[at] = value;
        return;
      }
      const next = new Wider(changes.length);
      next.set(changes);
      changes = next;
    }
    changes[at] = change;
  }

  return {
    get,
    set(at, value) {
      const number = typeof value === "number" ? value : 0;
      // What follows is told by its difference to this one.
      const follows = at + 1 < length ? get(at + 1) : null;
      write(at, number);
      if (follows !== null) write(at + 1, follows);
      length = Math.max(length, at + 1);
      if (at + 1 === length) last = number;
    },
    resize(capacity) {
      if (plain) plain = resized(plain, capacity);
      else {
        changes = resized(changes, capacity);
        marks = resized(marks, Math.ceil(capacity / STRIDE));
      }
    },
  };
}

const fits = (change: number, width: number): boolean => Math.abs(change) < 2 ** (8 * 2 ** width - 1);

/** Few values that come again and again. */
export function words(missing: Missing): Column {
  const places = numbers(null, true);
  const known: (string | number)[] = [];
  const placeOf = new Map<string | number, number>();
  return {
    get(at) {
      const place = places.get(at);
      return typeof place === "number" ? known[place] : missing;
    },
    set(at, value) {
      if (typeof value !== "string" && typeof value !== "number") return places.set(at, null);
      let place = placeOf.get(value);
      if (place === undefined) {
        place = known.push(value) - 1;
        placeOf.set(value, place);
      }
      places.set(at, place);
    },
    resize: places.resize,
  };
}

export function flags(): Column {
  let kept = new Uint8Array(0);
  return {
    get: (at) => kept[at] === 1,
    set(at, value) {
      kept[at] = value === true ? 1 : 0;
    },
    resize(capacity) {
      kept = resized(kept, capacity);
    },
  };
}
