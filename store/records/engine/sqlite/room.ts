import { sql } from "kysely";
import type { Db } from "../../db.ts";
import type { Room } from "../types.ts";

/** Of a file this part stays free for what comes next: to give all back would be to take it again. */
const SPARE_PART = 10;
const LEAST_SPARE_PAGES = 1000;
/** Moved in one statement, which others wait for: some 20 ms. */
const PAGES_AT_ONCE = 500;
const INCREMENTAL = 2;

/**
 * Pages that rows have left stay in the file and are filled again. What is more than that needs is given back from the end of
 * the file, a little at a time. Files of before 0035 have no map of their pages for that (https://sqlite.org/pragma.html#pragma_auto_vacuum)
 * until they come back from a backup.
 */
export const room: Room = {
  async giveBack(db) {
    if ((await pragma(db, "auto_vacuum")) !== INCREMENTAL) return 0;
    const [free, pages] = [await pragma(db, "freelist_count"), await pragma(db, "page_count")];
    const spare = Math.max(LEAST_SPARE_PAGES, Math.floor(pages / SPARE_PART));
    if (free - spare < PAGES_AT_ONCE) return 0;
    await sql`PRAGMA incremental_vacuum(${sql.lit(PAGES_AT_ONCE)})`.execute(db);
    const given = pages - (await pragma(db, "page_count"));
    return given * (await pragma(db, "page_size"));
  },
};

async function pragma(
  db: Db,
  name: "auto_vacuum" | "freelist_count" | "page_count" | "page_size",
): Promise<number> {
  const { rows } = await sql<Record<string, number>>`PRAGMA ${sql.raw(name)}`.execute(db);
  return rows[0]![name]!;
}
