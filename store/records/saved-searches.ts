import { type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import { isTaken } from "./outcome.ts";
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

/**
 * Inserts a search behind the others.
 * @param most how many an org may have
 * @returns `taken` when the org has one of that name
 */
export async function insertSavedSearch(
  db: Db,
  row: Omit<SavedSearchRow, "position">,
  most: number,
): Promise<"inserted" | "taken" | "full"> {
  const position = sql`(select coalesce(max(position), -1) + 1 from saved_searches where org_id = ${row.org_id})`;
  const onConflict = sql`on conflict (org_id, name) do nothing`;
  if (await insertLimited(db, "saved_searches", { ...row, position }, { most, onConflict }))
    return "inserted";
  const known = await db
    .selectFrom("saved_searches")
    .select("id")
    .where("org_id", "=", row.org_id)
    .where("name", "=", row.name)
    .executeTakeFirst();
  return known ? "taken" : "full";
}

/** Changes name, query or place. False when the org has another of that name. */
export async function updateSavedSearch(
  db: Db,
  id: string,
  changes: Partial<Pick<SavedSearchRow, "name" | "query" | "position" | "updated_at">>,
): Promise<boolean> {
  try {
    await db.updateTable("saved_searches").set(changes).where("id", "=", id).execute();
    return true;
  } catch (error) {
    if (isTaken(db, error)) return false;
    throw error;
  }
}

export async function removeSavedSearch(db: Db, id: string): Promise<void> {
  await db.deleteFrom("saved_searches").where("id", "=", id).execute();
}
