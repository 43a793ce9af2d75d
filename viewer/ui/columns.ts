import type { ComponentChildren } from "preact";

/** A column of a table of rows. */
export interface Column<Item> {
  head: string;
  isHeadHidden?: boolean;
  /** Its track in the grid, as CSS has it. */
  width: string;
  /** Of its head and its cells. */
  class?: string;
  /** Of its cells. */
  cellClass?: string;
  /** Whether a row has something here. A column that has nothing in any row takes no room; without this it always does. */
  has?: (item: Item) => boolean;
  /** Left out on a window without room for a third column. */
  isExtra?: boolean;
  title?: (item: Item) => string;
  cell: (item: Item) => ComponentChildren;
}

/** The columns that have something to show among these rows, and fit. */
export function columnsWith<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  isWide: boolean,
): Column<Item>[] {
  return columns.filter(
    ({ has, isExtra }) => (isWide || !isExtra) && (has === undefined || items.some((item) => has(item))),
  );
}
