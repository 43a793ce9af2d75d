import type { Db } from "./db.ts";

/** Rows of one statement: SQLite takes a bounded number of parameters. */
const AT_ONCE = 500;

/**
 * Notes what a run of a scenario used.
 * @param used.paths of addresses (`/assets/cart.js`), each once or more
 * @param used.isWhole whether the run went to its end: what it did not use is then used no more. Else it only adds.
 * @param used.now epoch ms
 */
export async function putCoverage(
  db: Db,
  scenarioId: string,
  used: { paths: Iterable<string>; isWhole: boolean; now: number },
): Promise<void> {
  if (used.isWhole) await db.deleteFrom("scenario_coverage").where("scenario_id", "=", scenarioId).execute();
  const rows = [...new Set(used.paths)].map((path) => ({
    scenario_id: scenarioId,
    path,
    updated_at: used.now,
  }));
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await db
      .insertInto("scenario_coverage")
      .values(rows.slice(at, at + AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(["scenario_id", "path"]).doUpdateSet({ updated_at: used.now }),
      )
      .execute();
}

/** The paths that runs of a scenario used, in order. Empty when none recorded any. */
export async function coverageOf(
  db: Db,
  scenarioId: string,
): Promise<{ path: string; updated_at: number }[]> {
  return db
    .selectFrom("scenario_coverage")
    .select(["path", "updated_at"])
    .where("scenario_id", "=", scenarioId)
    .orderBy("path")
    .execute();
}
