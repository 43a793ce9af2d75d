import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type SavedSearchRow = Selectable<Database["saved_searches"]>;

/** An org's saved searches in the order that people gave them. */
export async function savedSearchesOf(db: Db, orgId: string): Promise<SavedSearchRow[]> {
  return db
    .selectFrom("saved_searches")
    .selectAll()
    .where("org_id", "=", orgId)
    .orderBy("position")
    .orderBy("id")
    .execute();
}

/** False when the org has one of that name. */
export async function insertSavedSearch(db: Db, row: SavedSearchRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("saved_searches")
    .values(row)
    .onConflict((conflict) => conflict.columns(["org_id", "name"]).doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** Changes name, query or place. */
export async function updateSavedSearch(
  db: Db,
  id: string,
  changes: Partial<Pick<SavedSearchRow, "name" | "query" | "position" | "updated_at">>,
): Promise<void> {
  await db.updateTable("saved_searches").set(changes).where("id", "=", id).execute();
}

export async function removeSavedSearch(db: Db, id: string): Promise<void> {
  await db.deleteFrom("saved_searches").where("id", "=", id).execute();
}
