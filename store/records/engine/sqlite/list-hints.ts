import type { ListHints } from "../types.ts";

/** SQLite keeps no statistics here and would choose by the look of a condition: it is told. */
export const listHints: ListHints = {
  through: (table, index) => `${table} INDEXED BY ${index}`,
  joinAfter: "CROSS JOIN",
  unindexed: (column) => `+${column}`,
};
