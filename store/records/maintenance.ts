import { type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { Database } from "./schema.ts";

export type MaintenanceRow = Selectable<Database["maintenance_windows"]>;

/** @returns false when it would be one more than `most` of its org */
export async function insertMaintenance(db: Db, row: MaintenanceRow, most: number): Promise<boolean> {
  return insertLimited(db, "maintenance_windows", row, { most, onConflict: sql`on conflict do nothing` });
}

export async function findMaintenance(db: Db, id: string): Promise<MaintenanceRow | null> {
  const row = await db.selectFrom("maintenance_windows").selectAll().where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

/** All windows of an org, in the order they were made. */
export async function maintenanceOf(db: Db, orgId: string): Promise<MaintenanceRow[]> {
  return db.selectFrom("maintenance_windows").selectAll().where("org_id", "=", orgId).orderBy("id").execute();
}

/** False when there is no such window (any more). */
export async function changeMaintenance(
  db: Db,
  id: string,
  changes: Partial<Omit<MaintenanceRow, "id" | "org_id" | "created_at">>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("maintenance_windows")
    .set(changes)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** @returns whether there was one */
export async function removeMaintenance(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("maintenance_windows")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
