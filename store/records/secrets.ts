import { type Selectable, type SqlBool, sql } from "kysely";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
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

/**
 * Adds a secret or replaces what it was; `created_at` stays as it was then.
 * @returns false when it would be one more than `most` of its org
 */
export async function putSecret(db: Db, row: SecretRow, most: number): Promise<boolean> {
  const { org_id, name } = row;
  return insertLimited(db, "secrets", row, {
    most,
    besides: sql<SqlBool>`exists (select 1 from secrets where org_id = ${org_id} and name = ${name})`,
    onConflict: sql`on conflict (org_id, name) do update set
      sealed = excluded.sealed, origins = excluded.origins, updated_at = excluded.updated_at`,
  });
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
