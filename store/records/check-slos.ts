import type { Db } from "./db.ts";

/** What is promised of a check: so many percent of the time that is measured within a rolling window. */
export interface SloRow {
  target_percent: number;
  window_days: number;
}

/** Null when nothing is promised. */
export async function findSlo(db: Db, checkId: string): Promise<SloRow | null> {
  const row = await db
    .selectFrom("check_slos")
    .select(["target_percent", "window_days"])
    .where("check_id", "=", checkId)
    .executeTakeFirst();
  return row ?? null;
}

/** @param slo null takes back what was promised */
export async function setSlo(db: Db, checkId: string, slo: SloRow | null): Promise<void> {
  if (slo === null) {
    await db.deleteFrom("check_slos").where("check_id", "=", checkId).execute();
    return;
  }
  const { target_percent, window_days } = slo;
  await db
    .insertInto("check_slos")
    .values({ check_id: checkId, target_percent, window_days })
    .onConflict((conflict) => conflict.column("check_id").doUpdateSet({ target_percent, window_days }))
    .execute();
}
