import { sql } from "kysely";
import type { Catalog } from "../types.ts";

export const catalog: Catalog = {
  async columnsOf(db, table) {
    const { rows } = await sql<{ name: string }>`SELECT name FROM pragma_table_info(${table})`.execute(db);
    return new Set(rows.map(({ name }) => name));
  },
};
