import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type SecretRow = Selectable<Database["secrets"]>;

/** An org's secrets by name, at most `limit`. */
export async function secretsOf(db: Db, orgId: string, limit: number): Promise<SecretRow[]> {
  return db
    .selectFrom("secrets")
    .selectAll()
    .where("org_id", "=", orgId)
    .orderBy("name")
    .limit(limit)
    .execute();
}

/** Those of an org that have one of the names. */
export async function secretsNamed(db: Db, orgId: string, names: readonly string[]): Promise<SecretRow[]> {
  if (names.length === 0) return [];
  return db
    .selectFrom("secrets")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("name", "in", names)
    .execute();
}

/** Adds a secret or replaces what it was; `created_at` stays as it was then. */
export async function putSecret(db: Db, row: SecretRow): Promise<void> {
  const { sealed, origins, updated_at } = row;
  await db
    .insertInto("secrets")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["org_id", "name"]).doUpdateSet({ sealed, origins, updated_at }),
    )
    .execute();
}

/** @returns whether there was one */
export async function removeSecret(db: Db, orgId: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("secrets")
    .where("org_id", "=", orgId)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function countSecrets(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom("secrets")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .executeTakeFirstOrThrow();
  return count;
}
