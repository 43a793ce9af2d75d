import { type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type UserRow = Selectable<Database["users"]>;

/** The user of an address, whatever its case. */
export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom("users")
    .selectAll()
    .where(sql`lower(email)`, "=", email.toLowerCase())
    .executeTakeFirst();
}

/** Changes what is given. The error for an address that another user has is a contradiction (`isContradiction`). */
export async function updateUser(
  db: Db,
  id: string,
  changes: Partial<Pick<UserRow, "name" | "email" | "default_org_id" | "email_confirmed_at">>,
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await db.updateTable("users").set(changes).where("id", "=", id).execute();
}

/**
 * Gives a user another password.
 * @param change.from the hash that the user must still have
 * @returns false when it is another one meanwhile
 */
export async function changePassword(
  db: Db,
  id: string,
  change: { from: string | null; to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("users")
    .set({ password_hash: change.to })
    .where("id", "=", id)
    .where("password_hash", change.from === null ? "is" : "=", change.from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes a user's password away, and the word that they hold the account's address. */
export async function clearHolder(db: Db, id: string): Promise<void> {
  await db
    .updateTable("users")
    .set({ password_hash: null, email_confirmed_at: null })
    .where("id", "=", id)
    .execute();
}
