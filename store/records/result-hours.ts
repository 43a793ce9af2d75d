import type { Selectable } from "kysely";
import type { AlertResultRow } from "./alert-results.ts";
import type { Db, Trx } from "./db.ts";
import type { Database } from "./schema.ts";

/** What the results of a scenario in a region came to in an hour. */
export type ResultHourRow = Selectable<Database["result_hours"]>;
/** The newest result that is in the hours of its series. */
export type FoldRow = Selectable<Database["result_folds"]>;

export interface Series {
  scenario_id: string;
  region: string;
}

/** What hours are made of. */
export type HourResult = Pick<AlertResultRow, "run_id" | "at" | "status" | "duration_ms">;

/** The hours of a series from one on (epoch ms), in their order. They lie side by side. */
export const hoursOf = (db: Db, series: Series, from: number): Promise<ResultHourRow[]> =>
  hoursQuery(db, series, from).execute();

/** The same, to be looked at. */
export const hoursQuery = (db: Db, { scenario_id, region }: Series, from: number) =>
  db
    .selectFrom("result_hours")
    .selectAll()
    .where("scenario_id", "=", scenario_id)
    .where("region", "=", region)
    .where("hour", ">=", from)
    .orderBy("hour");

/** Up to where the results of a series are in its hours; null when none is. */
export async function foldOf(db: Db, { scenario_id, region }: Series): Promise<FoldRow | null> {
  const row = await db
    .selectFrom("result_folds")
    .selectAll()
    .where("scenario_id", "=", scenario_id)
    .where("region", "=", region)
    .executeTakeFirst();
  return row ?? null;
}

/** Which results are wanted of a series. */
export interface Behind {
  /** The result behind which they lie; null for all. */
  after: { at: number; run_id: string } | null;
  /** Epoch ms: those that ended later are left out. */
  until: number;
  limit: number;
}

/** Results of scheduled runs that count, behind a result, oldest first. */
export async function resultsBehind(
  db: Db,
  series: Series,
  { after, until, limit }: Behind,
): Promise<HourResult[]> {
  const rows = await behindQuery(db, series, { after, until, limit: limit + 1 }).execute();
  // Those of the moment itself were found too.
  return rows
    .filter(({ at, run_id }) => after === null || at > after.at || run_id > after.run_id)
    .slice(0, limit);
}

/** One bound at the beginning, so that SQLite goes there at once: the result itself is found again. */
export const behindQuery = (db: Db, { scenario_id, region }: Series, { after, until, limit }: Behind) =>
  db
    .selectFrom("alert_results")
    .select(["run_id", "at", "status", "duration_ms"])
    .where("scenario_id", "=", scenario_id)
    .where("region", "=", region)
    .where("at", ">=", after?.at ?? 0)
    .where("at", "<=", until)
    .where("kind", "=", "run")
    .where("ignored", "is", null)
    .orderBy("at")
    .orderBy("run_id")
    .limit(limit);

/** Series with results that ended by a time (epoch ms) and are not in their hours yet. */
export async function unfoldedSeries(
  db: Db,
  until: number,
  limit: number,
): Promise<(Series & { org_id: string })[]> {
  return db
    .selectFrom("grid_cells as cell")
    .leftJoin("result_folds as fold", (join) =>
      join.onRef("fold.scenario_id", "=", "cell.scenario_id").onRef("fold.region", "=", "cell.region"),
    )
    .select(["cell.scenario_id", "cell.region", "cell.org_id"])
    .where((is) =>
      is.exists(
        is
          .selectFrom("alert_results as result")
          .select("result.run_id")
          .whereRef("result.scenario_id", "=", "cell.scenario_id")
          .whereRef("result.region", "=", "cell.region")
          .where("result.at", ">", is.fn.coalesce("fold.at", is.lit(0)))
          .where("result.at", "<=", until)
          .where("result.kind", "=", "run")
          .where("result.ignored", "is", null),
      ),
    )
    .orderBy("cell.scenario_id")
    .orderBy("cell.region")
    .limit(limit)
    .execute();
}

/**
 * Moves a series on to a newer result; false when it does not stand where it was read: somebody else did so.
 * Begin the transaction with it.
 */
export async function moveFold(trx: Trx, row: FoldRow, from: FoldRow | null): Promise<boolean> {
  if (from === null) {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto("result_folds")
      .values(row)
      .onConflict((conflict) => conflict.columns(["scenario_id", "region"]).doNothing())
      .executeTakeFirstOrThrow();
    return Boolean(numInsertedOrUpdatedRows);
  }
  const { numUpdatedRows } = await trx
    .updateTable("result_folds")
    .set({ run_id: row.run_id, at: row.at, status: row.status })
    .where("scenario_id", "=", row.scenario_id)
    .where("region", "=", row.region)
    .where("run_id", "=", from.run_id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Writes an hour down as it is by now. */
export async function putHour(trx: Trx, row: ResultHourRow): Promise<void> {
  const { scenario_id: _, region: __, hour: ___, org_id: ____, ...sums } = row;
  await trx
    .insertInto("result_hours")
    .values(row)
    .onConflict((conflict) => conflict.columns(["scenario_id", "region", "hour"]).doUpdateSet(sums))
    .execute();
}

/** Forgets hours that began before a time (epoch ms); how many. */
export async function pruneHours(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom("result_hours")
    .select(["scenario_id", "region", "hour"])
    .where("hour", "<", before)
    .orderBy("hour")
    .limit(limit)
    .execute();
  for (const { scenario_id, region, hour } of old)
    await db
      .deleteFrom("result_hours")
      .where("scenario_id", "=", scenario_id)
      .where("region", "=", region)
      .where("hour", "=", hour)
      .execute();
  return old.length;
}
