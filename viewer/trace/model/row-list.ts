/**
 * Rows in their order, of which none need exist until it is asked for. Every array is one. Two rows of one place are not
 * the same object: they are told by what they say.
 */
export interface RowList<R> extends Iterable<R> {
  readonly length: number;
  /** From 0; from the end when negative. */
  at(index: number): R | undefined;
}

function chosen<R>(rows: RowList<R>, places: Uint32Array): RowList<R> {
  const at = (index: number): R | undefined => {
    const place = places.at(index);
    return place === undefined ? undefined : rows.at(place);
  };
  return {
    length: places.length,
    at,
    *[Symbol.iterator]() {
      for (let index = 0; index < places.length; index += 1) yield at(index) as R;
    },
  };
}

/** What is made of each row, when it is asked for. */
export function mapRows<R, Out>(rows: RowList<R>, make: (row: R) => Out): RowList<Out> {
  return {
    length: rows.length,
    at(index) {
      const row = rows.at(index);
      return row === undefined ? undefined : make(row);
    },
    *[Symbol.iterator]() {
      for (const row of rows) yield make(row);
    },
  };
}

/** The rows that pass, in their order; the same list when all do. */
export function filterRows<R>(rows: RowList<R>, test: (row: R) => boolean): RowList<R> {
  const places = new Uint32Array(rows.length);
  let length = 0;
  let place = 0;
  for (const row of rows) {
    if (test(row)) places[length++] = place;
    place += 1;
  }
  return length === rows.length ? rows : chosen(rows, places.slice(0, length));
}

/** The rows in the order of a value, those of one value in the order they have; the same list when that is the order. */
export function sortRows<R>(rows: RowList<R>, value: (row: R) => number, isFalling = false): RowList<R> {
  const sign = isFalling ? -1 : 1;
  const values = new Float64Array(rows.length);
  let isSorted = true;
  let place = 0;
  for (const row of rows) {
    values[place] = sign * value(row);
    if (place > 0 && (values[place - 1] ?? 0) > (values[place] ?? 0)) isSorted = false;
    place += 1;
  }
  if (isSorted) return rows;
  const places = Uint32Array.from(values.keys());
  places.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
  return chosen(rows, places);
}

/** So many of them at most. */
export function firstRows<R>(rows: RowList<R>, most: number): R[] {
  return Array.from({ length: Math.min(most, rows.length) }, (_, at) => rows.at(at) as R);
}

export function findRow<R>(rows: RowList<R>, test: (row: R) => boolean): R | undefined {
  for (const row of rows) if (test(row)) return row;
  return undefined;
}

export function countRows<R>(rows: RowList<R>, test: (row: R) => boolean): number {
  let count = 0;
  for (const row of rows) if (test(row)) count += 1;
  return count;
}

/** The place of the last row whose sequence number is at most this; -1 when there is none. Rows in the order of theirs. */
export function placeOfSeq(rows: RowList<{ seq: number }>, seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows.at(middle)?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The row of a sequence number. Rows in the order of theirs. */
export function rowOfSeq<R extends { seq: number }>(rows: RowList<R>, seq: number): R | undefined {
  const row = rows.at(Math.max(0, placeOfSeq(rows, seq)));
  return row?.seq === seq ? row : undefined;
}
