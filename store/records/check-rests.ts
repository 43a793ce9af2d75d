import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

/** A time in which a check was paused or switched off, epoch ms; one without an end goes on. */
export type RestRow = Selectable<Database["check_rests"]>;

/**
 * Writes down whether a check rests from a moment on, within the transaction that changes it. A rest that goes on gets another end.
 * @param until epoch ms, null for a rest without an end; undefined when the check does not rest
 */
export async function noteRest(
  db: Db,
  { checkId, at, until }: { checkId: string; at: number; until: number | null | undefined },
): Promise<void> {
  const goesOn = db
    .updateTable("check_rests")
    .where("check_id", "=", checkId)
    .where("from_at", "<=", at)
    .where((is) => is.or([is("until_at", "is", null), is("until_at", ">", at)]));
  const { numUpdatedRows } = await goesOn
    .set({ until_at: until === undefined ? at : until })
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n || until === undefined) return;
  await db
    .insertInto("check_rests")
    .values({ check_id: checkId, from_at: at, until_at: until })
    .onConflict((conflict) => conflict.columns(["check_id", "from_at"]).doUpdateSet({ until_at: until }))
    .execute();
}

/** The rests of checks that were not over by `from` (epoch ms), in their order. */
export async function restsOf(db: Db, checkIds: readonly string[], from: number): Promise<RestRow[]> {
  if (checkIds.length === 0) return [];
  return db
    .selectFrom("check_rests")
    .selectAll()
    .where("check_id", "in", checkIds)
    .where((is) => is.or([is("until_at", "is", null), is("until_at", ">", from)]))
    .orderBy("from_at")
    .orderBy("check_id")
    .execute();
}

/** Forgets rests that were over before a time (epoch ms). */
export async function pruneRests(db: Db, before: number): Promise<void> {
  await db.deleteFrom("check_rests").where("until_at", "<", before).execute();
}
