/** Where the rows of a list lie, in CSS pixels from its top. */
export interface RowHeights {
  count: number;
  /** Upper edge of a row; of the one after the last, the list's height. */
  top(row: number): number;
  /** The row at a height; the last one below them all. */
  at(y: number): number;
}

/** Rows that are equally high. */
export const equalHeights = (count: number, height: number): RowHeights => ({
  count,
  top: (row) => row * height,
  at: (y) => Math.floor(y / height),
});

/** Rows of which each has a height of its own. */
export function ownHeights(count: number, heightOf: (row: number) => number): RowHeights {
  const tops = new Float64Array(count + 1);
  for (let row = 0; row < count; row++) tops[row + 1] = tops[row]! + heightOf(row);
  return {
    count,
    top: (row) => tops[Math.max(0, Math.min(count, row))]!,
    at(y) {
      let first = 0;
      let last = Math.max(0, count - 1);
      while (first < last) {
        const middle = (first + last + 1) >> 1;
        if (tops[middle]! <= y) first = middle;
        else last = middle - 1;
      }
      return first;
    },
  };
}
