import type { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import type { Records } from "../../db.ts";
import { migrate } from "./migrate.ts";
import { openSqlite } from "./open.ts";

/** The files that a database of this path may consist of. */
export const filesOfDatabase = (path: string): string[] => ["", "-wal", "-shm"].map((end) => `${path}${end}`);

/**
 * Makes new records in a file of their own, in the place of what a killed attempt left there. When it resolves, all of
 * them are in that one file, so that it can be renamed; it is not synced.
 */
export async function draftRecords(path: string, fill: (records: Records) => Promise<void>): Promise<void> {
  for (const file of filesOfDatabase(path)) rmSync(file, { force: true });
  const { records, raw } = openSqlite(path);
  try {
    migrate(raw);
    await fill(records);
    leaveLog(raw);
  } finally {
    await records.destroy();
  }
}

/** A log goes by the name of its database. */
function leaveLog(raw: Database): void {
  const { journal_mode } = raw.query("PRAGMA journal_mode = DELETE").get() as { journal_mode: string };
  if (journal_mode !== "delete") throw new Error("The new records could not be brought into one file.");
}
