import { sql } from "kysely";
import type { Records, Trx } from "../../db.ts";

/** Fewer are not worth the writing. */
const LEAST_REMOVED = 1000;
/** Pages of 16,000 bytes that are written in one transaction, which others wait for: some 20 ms. */
const PAGES_AT_ONCE = 64;

/**
 * Clears the words of removed traces out of the full-text index, in small steps between which others get their turn. FTS5 does
 * so only where it merges what was written long ago with what was written since (https://sqlite.org/fts5.html#the_merge_command): that
 * is asked for once as many traces are gone as are there, so that the index is at most about twice as large as what it is for. Killed
 * in between, it begins again.
 */
export async function clearOldWords(records: Records): Promise<void> {
  const removed = await removedTraces(records);
  if (removed < LEAST_REMOVED || removed < (await countTraces(records))) return;
  // A negative number has all that was written taken into one merge, which positive ones carry on.
  let hasMore = await records.transaction().execute((trx) => merge(trx, -PAGES_AT_ONCE));
  while (hasMore) hasMore = await records.transaction().execute((trx) => merge(trx, PAGES_AT_ONCE));
  await sql`UPDATE words_removed SET traces = traces - ${removed}`.execute(records);
}

/** @returns whether there was something to do, as FTS5 tells it: by more than one change */
async function merge(trx: Trx, pages: number): Promise<boolean> {
  const before = await changes(trx);
  await sql`INSERT INTO traces_fts (traces_fts, rank) VALUES ('merge', ${pages})`.execute(trx);
  return (await changes(trx)) - before > 1;
}

async function changes(trx: Trx): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT total_changes() AS n`.execute(trx);
  return rows[0]!.n;
}

async function removedTraces(records: Records): Promise<number> {
  const { rows } = await sql<{ traces: number }>`SELECT traces FROM words_removed`.execute(records);
  return rows[0]!.traces;
}

async function countTraces(records: Records): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM traces`.execute(records);
  return rows[0]!.n;
}
