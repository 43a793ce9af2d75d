import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type ShadowDiffRow = Selectable<Database["shadow_diffs"]>;

export async function insertShadowDiff(db: Db, row: Insertable<Database["shadow_diffs"]>): Promise<void> {
  await db.insertInto("shadow_diffs").values(row).execute();
}

/** By the id of any of its three runs. */
export async function findShadowDiff(db: Db, runId: string): Promise<ShadowDiffRow | null> {
  for (const column of ["run_id", "production_run_id", "repeated_run_id"] as const) {
    const row = await db.selectFrom("shadow_diffs").selectAll().where(column, "=", runId).executeTakeFirst();
    if (row) return row;
  }
  return null;
}

/** @param result JSON */
export async function setShadowDiffResult(db: Db, runId: string, result: string): Promise<void> {
  await db.updateTable("shadow_diffs").set({ result }).where("run_id", "=", runId).execute();
}
