import type { ListHints } from "../types.ts";

/** SQLite has no statistics here and would choose by the look of a condition: it is told. */
export const listHints: ListHints = {
  unindexed: (column) => `+${column}`,
};
