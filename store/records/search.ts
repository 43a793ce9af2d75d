import { sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import { clean, kindWords, type SearchColumns, wordsOf } from "./search-text.ts";

/** Indexes the words of a trace in place of those it had. Nothing happens when the trace is gone. */
export async function setSearchText(db: Db, ord: number, text: SearchColumns): Promise<void> {
  await engineOf(db).fullText.put(db, ord, wordsOf(text));
  await db.updateTable("traces").set({ search_version: 1 }).where("ord", "=", ord).execute();
}

/** Indexes a trace by the words of another one that says the same. */
export async function copySearchText(db: Db, from: number, to: number): Promise<void> {
  const { fullText } = engineOf(db);
  const words = Object.entries(await fullText.read(db, from)).filter(([, text]) => text !== null);
  if (words.length === 0) return;
  await fullText.put(db, to, Object.fromEntries(words));
  await db.updateTable("traces").set({ search_version: 1 }).where("ord", "=", to).execute();
}

/** Adds what traces were not indexed by when they were made. */
export async function addStepsAndKinds(
  db: Db,
  ord: number,
  text: Pick<SearchColumns, "steps" | "kinds">,
): Promise<void> {
  await engineOf(db).fullText.put(db, ord, { steps: clean(text.steps), kinds: kindWords(text.kinds) });
  await db.updateTable("traces").set({ search_version: 1 }).where("ord", "=", ord).execute();
}

/** Finished traces that `addStepsAndKinds` was not called for, newest first. */
export async function tracesToIndex(db: Db, limit: number): Promise<{ id: string; ord: number }[]> {
  const { rows } = await sql<{ id: string; ord: number }>`
    SELECT id, ord FROM traces WHERE search_version = 0 AND status NOT IN ('queued', 'running')
    ORDER BY ord DESC LIMIT ${limit}`.execute(db);
  return rows;
}
