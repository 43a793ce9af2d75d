/**
 * How a field is kept. `number` as a double, `real` in half the room where seven digits do, `count` likewise for whole
 * numbers from 0 that a trace counts its own events with; `text` as bytes in one pool,
 * `word` as a number where few values come again and again; `flag` as a byte; `id` as it is, where others hold it anyway.
 * What is missing is null, and undefined in an optional field.
 */
export type FieldKind = "number" | "real" | "count" | "text" | "word" | "flag" | "id";

type Value = number | string | boolean | null | undefined;

/** The fields of a row and how each is kept. */
export type Fields<R> = { readonly [Name in keyof R]-?: FieldKind };

/** Rows of many small fields, in columns: a row costs its values, and an object that only knows its place. */
export interface Table<R> {
  readonly length: number;
  /** Keeps a row and answers it: its fields read the columns, and write them. */
  add(row: R): R;
  /** All rows there are now, in a list that stays as it is. */
  list(): readonly R[];
}

interface Column {
  get(at: number): Value;
  set(at: number, value: Value): void;
  /** Makes room for this many rows. */
  grow(capacity: number): void;
}

const FIRST = 64;
/** Room that is added whenever there is none left, as a part of what there is. */
const GROWTH = 1.25;

/** A table of rows with these fields; `optional` names those that are left out when missing. */
export function createTable<R extends object>(
  fields: Fields<R>,
  optional: readonly (keyof R)[] = [],
): Table<R> {
  const pool = createPool();
  const columns = Object.entries(fields).map(([name, kind]): [string, Column] => [
    name,
    columnOf(kind as FieldKind, pool, optional.includes(name as keyof R) ? undefined : null),
  ]);
  let rows: R[] = [];
  let isHandedOut = false;
  let capacity = 0;

  /** Holds nothing but its place, so that a hundred thousand are small. */
  class Row {
    readonly place: number;
    constructor(place: number) {
      this.place = place;
    }
  }
  for (const [name, column] of columns)
    Object.defineProperty(Row.prototype, name, {
      enumerable: true,
      get(this: Row) {
        return column.get(this.place);
      },
      set(this: Row, value: Value) {
        column.set(this.place, value);
      },
    });

  return {
    get length() {
      return rows.length;
    },
    add(values) {
      const place = rows.length;
      if (place >= capacity) {
        capacity = Math.max(FIRST, Math.ceil(capacity * GROWTH));
        for (const [, column] of columns) column.grow(capacity);
      }
      for (const [name, column] of columns) column.set(place, values[name as keyof R] as Value);
      // The fields are on its prototype.
      const row = new Row(place) as unknown as R;
      if (isHandedOut) {
        rows = rows.slice();
        isHandedOut = false;
      }
      rows.push(row);
      return row;
    },
    list() {
      isHandedOut = true;
      return rows;
    },
  };
}

function columnOf(kind: FieldKind, pool: Pool, missing: null | undefined): Column {
  switch (kind) {
    case "number":
      return numbers(new Float64Array(0), missing);
    case "real":
      return numbers(new Float32Array(0), missing);
    case "count":
      return counts(missing);
    case "text":
      return texts(pool, missing);
    case "word":
      return words(missing);
    case "flag":
      return flags();
    case "id":
      return asTheyAre(missing);
  }
}

function wider<T extends Float64Array | Float32Array | Uint32Array | Uint8Array>(
  values: T,
  capacity: number,
): T {
  const next = new (values.constructor as new (length: number) => T)(capacity);
  next.set(values);
  return next;
}

/** NaN stands for what is missing: no row has it. */
function numbers(values: Float64Array | Float32Array, missing: null | undefined): Column {
  let kept = values;
  return {
    get(at) {
      const value = kept[at] ?? Number.NaN;
      return Number.isNaN(value) ? missing : value;
    },
    set(at, value) {
      kept[at] = typeof value === "number" ? value : Number.NaN;
    },
    grow(capacity) {
      kept = wider(kept, capacity);
    },
  };
}

/** One more than the value, so that 0 stands for what is missing. */
function counts(missing: null | undefined): Column {
  let kept = new Uint32Array(0);
  return {
    get(at) {
      const value = kept[at] ?? 0;
      return value === 0 ? missing : value - 1;
    },
    set(at, value) {
      kept[at] = typeof value === "number" ? value + 1 : 0;
    },
    grow(capacity) {
      kept = wider(kept, capacity);
    },
  };
}

function flags(): Column {
  let kept = new Uint8Array(0);
  return {
    get: (at) => kept[at] === 1,
    set(at, value) {
      kept[at] = value === true ? 1 : 0;
    },
    grow(capacity) {
      kept = wider(kept, capacity);
    },
  };
}

function asTheyAre(missing: null | undefined): Column {
  const kept: Value[] = [];
  return {
    get: (at) => kept[at] ?? missing,
    set(at, value) {
      kept[at] = value;
    },
    grow() {},
  };
}

function words(missing: null | undefined): Column {
  let kept = new Uint32Array(0);
  const known: string[] = [];
  const places = new Map<string, number>();
  return {
    get: (at) => known[(kept[at] ?? 0) - 1] ?? missing,
    set(at, value) {
      if (typeof value !== "string") {
        kept[at] = 0;
        return;
      }
      let place = places.get(value);
      if (place === undefined) {
        place = known.push(value);
        places.set(value, place);
      }
      kept[at] = place;
    },
    grow(capacity) {
      kept = wider(kept, capacity);
    },
  };
}

function texts(pool: Pool, missing: null | undefined): Column {
  let kept = new Uint32Array(0);
  // Neighbours often say the same: which step they belong to.
  let last: string | null = null;
  let lastStart = 0;
  return {
    get(at) {
      const start = kept[at] ?? 0;
      return start === 0 ? missing : pool.read(start);
    },
    set(at, value) {
      if (typeof value === "string" && value !== last) {
        last = value;
        lastStart = pool.add(value);
      }
      kept[at] = typeof value === "string" ? lastStart : 0;
    },
    grow(capacity) {
      kept = wider(kept, capacity);
    },
  };
}

interface Pool {
  /** Where the text begins; never 0. */
  add(text: string): number;
  read(start: number): string;
}

/** Before each text: its length in bytes, and whether every byte is a character. */
const HEAD = 2;
const IS_ASCII = 0x8000;
/** What is longer is cut here. */
const LONGEST = 0x7fff;
const MOST_BYTES_A_UNIT = 3;
const FIRST_POOL = 4096;
/** Up to here a call with each byte as an argument is several times quicker than a decoder. */
const SHORT = 512;

/** Texts as UTF-8, one after another. */
function createPool(): Pool {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let bytes = new Uint8Array(0);
  // No text begins at 0, which stands for a missing one.
  let used = HEAD;

  return {
    add(text) {
      const start = used;
      const room = Math.min(LONGEST, text.length * MOST_BYTES_A_UNIT);
      const end = start + HEAD + room;
      if (end > bytes.length)
        bytes = wider(bytes, Math.max(FIRST_POOL, end, Math.ceil(bytes.length * GROWTH)));
      const { written } = encoder.encodeInto(text, bytes.subarray(start + HEAD, end));
      const head = written | (written === text.length ? IS_ASCII : 0);
      bytes[start] = head >> 8;
      bytes[start + 1] = head & 0xff;
      used = start + HEAD + written;
      return start;
    },
    read(start) {
      const head = ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0);
      const length = head & LONGEST;
      const own = bytes.subarray(start + HEAD, start + HEAD + length);
      if ((head & IS_ASCII) === 0 || length > SHORT) return decoder.decode(own);
      return String.fromCharCode.apply(null, own as unknown as number[]);
    },
  };
}
