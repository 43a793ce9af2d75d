import { type Column, flags, nearNumbers, numbers, type Value, words } from "./columns.ts";
import { createTextStore, type Store } from "./packed-texts.ts";
import type { RowList } from "./row-list.ts";

/**
 * How a field is kept. `number` exactly, in as few bytes as its values need; `real` likewise, fractions with seven
 * digits; `near` by its difference to the row before (never missing); `behind` by how far it lies behind the row's own
 * `seq`; `text` deflated, many rows together; `word` as a place among few values (texts or numbers) that come again and
 * again; `flag` as a byte. What is missing is null, and undefined in an optional field.
 */
export type FieldKind = "number" | "real" | "near" | "behind" | "text" | "word" | "flag";

/** The fields of a row and how each is kept. */
export type Fields<R> = { readonly [Name in keyof R]-?: FieldKind };

/** Rows of many small fields, in columns: a row costs its values and nothing else. */
export interface Table<R> {
  readonly length: number;
  /** Keeps a row and answers it: its fields read the columns, and write them. */
  add(row: R): R;
  /** The row of a place from 0, made anew at each call: it knows its place and the columns, which all share. */
  row(place: number): R;
  /** All rows there are now, in a list that stays as long as it is. */
  list(): RowList<R>;
  /** Gives back the room that was kept for more rows. */
  trim(): void;
}

/** No name that a field could have. */
const PLACE = Symbol("place");
const FIRST = 64;
/** Room that is added whenever there is none left, as a part of what there is. */
const GROWTH = 1.25;

/** A table of rows with these fields; `optional` names those that are left out when missing. */
export function createTable<R extends object>(
  fields: Fields<R>,
  optional: readonly (keyof R)[] = [],
): Table<R> {
  const store = createTextStore();
  const seqs = nearNumbers();
  const columns = Object.entries(fields).map(([name, kind]): [string, Column] => {
    const missing = optional.includes(name as keyof R) ? undefined : null;
    if (name === "seq" && kind === "near") return [name, seqs];
    return [name, kind === "behind" ? behind(seqs, missing) : columnOf(kind as PlainKind, store, missing)];
  });
  let length = 0;
  let capacity = 0;

  class Row {
    readonly [PLACE]: number;
    constructor(place: number) {
      this[PLACE] = place;
    }
  }
  for (const [name, column] of columns)
    Object.defineProperty(Row.prototype, name, {
      enumerable: true,
      get(this: Row) {
        return column.get(this[PLACE]);
      },
      set(this: Row, value: Value) {
        column.set(this[PLACE], value);
      },
    });
  // The fields are on its prototype.
  const row = (place: number): R => new Row(place) as unknown as R;

  function resize(rows: number): void {
    capacity = rows;
    for (const [, column] of columns) column.resize(rows);
  }

  return {
    get length() {
      return length;
    },
    add(values) {
      const place = length;
      if (place >= capacity) resize(Math.max(FIRST, Math.ceil(capacity * GROWTH)));
      for (const [name, column] of columns) column.set(place, values[name as keyof R] as Value);
      length += 1;
      return row(place);
    },
    row,
    list: () => listOf(length, row),
    trim() {
      resize(length);
      store.trim();
    },
  };
}

function listOf<R>(length: number, row: (place: number) => R): RowList<R> {
  return {
    length,
    at(index) {
      const place = index < 0 ? length + index : index;
      return place >= 0 && place < length ? row(place) : undefined;
    },
    *[Symbol.iterator]() {
      for (let place = 0; place < length; place += 1) yield row(place);
    },
  };
}

/** Numbers that are told from those of another column. */
function behind(others: Column, missing: null | undefined): Column {
  const gaps = numbers(null, false);
  return {
    get(at) {
      const gap = gaps.get(at);
      return typeof gap === "number" ? gap + Number(others.get(at)) : missing;
    },
    set(at, value) {
      gaps.set(at, typeof value === "number" ? value - Number(others.get(at)) : null);
    },
    resize: gaps.resize,
  };
}

type PlainKind = Exclude<FieldKind, "behind">;

function columnOf(kind: PlainKind, store: Store, missing: null | undefined): Column {
  switch (kind) {
    case "number":
      return numbers(missing, false);
    case "real":
      return numbers(missing, true);
    case "near":
      return nearNumbers();
    case "text":
      return store.column(missing);
    case "word":
      return words(missing);
    case "flag":
      return flags();
  }
}
