import { type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type AlertResultRow = Selectable<Database["alert_results"]>;

/** False when the run's result is there already: whoever decides on it has done so. */
export async function insertAlertResult(db: Db, row: AlertResultRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("alert_results")
    .values(row)
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export interface ResultsWanted {
  scenarioId: string;
  region: string;
  /** Epoch ms: what ended then or before is left out. */
  after: number;
  /** Epoch ms: the beginning of the window. */
  from: number;
  /** How many are wanted at least, though they lie before the window. */
  tail: number;
  /** How many at most. */
  limit: number;
}

/**
 * The newest results that count of a scenario in a region, oldest first: those in a window, and before it as many as are needed
 * for the tail. It reads no more rows than it answers, and `tail` more.
 */
export async function recentResults(db: Db, wanted: ResultsWanted): Promise<AlertResultRow[]> {
  const query = db
    .selectFrom("alert_results")
    .selectAll()
    .where("scenario_id", "=", wanted.scenarioId)
    .where("region", "=", wanted.region)
    .where("ignored", "is", null)
    .where("status", "in", ["passed", "failed"])
    .orderBy("at", "desc")
    .orderBy("run_id", "desc");
  // One bound each: of two, SQLite would walk all that the first one leaves.
  const begins = Math.max(wanted.after, wanted.from);
  const within = await query.where("at", ">", begins).limit(wanted.limit).execute();
  if (within.length >= wanted.tail) return within.reverse();
  return (await query.where("at", ">", wanted.after).limit(wanted.tail).execute()).reverse();
}

/** Results of a scenario that count, newest first, of the regions that are named; those that ended at `from` or later. */
export async function resultsOfScenario(
  db: Db,
  {
    scenarioId,
    regions,
    from,
    limit,
  }: { scenarioId: string; regions: string[]; from: number; limit: number },
): Promise<AlertResultRow[]> {
  const found: AlertResultRow[] = [];
  for (const region of regions)
    found.push(
      ...(await db
        .selectFrom("alert_results")
        .selectAll()
        .where("scenario_id", "=", scenarioId)
        .where("region", "=", region)
        .where("at", ">=", from)
        .where("ignored", "is", null)
        .where("status", "in", ["passed", "failed"])
        .orderBy("at", "desc")
        .orderBy("run_id", "desc")
        .limit(limit)
        .execute()),
    );
  return found;
}

/** Results by the ids of their runs, oldest first. */
export async function resultsOfRuns(db: Db, runIds: string[]): Promise<AlertResultRow[]> {
  if (runIds.length === 0) return [];
  return db
    .selectFrom("alert_results")
    .selectAll()
    .where("run_id", "in", runIds)
    .orderBy("at")
    .orderBy("run_id")
    .execute();
}

/** Removes results of runs that ended before a time (epoch ms); how many. */
export async function pruneAlertResults(db: Db, before: number, limit: number): Promise<number> {
  const old = db.selectFrom("alert_results").select("run_id").where("at", "<", before).limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("alert_results")
    .where("run_id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Counts one more run in a row that could not be made; how many there are, and when somebody was told of them. */
export async function countRunError(
  db: Db,
  row: { scenario_id: string; region: string; org_id: string; last_run_id: string },
): Promise<{ errors: number; told_at: number | null }> {
  return db
    .insertInto("run_errors")
    .values({ ...row, errors: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(["scenario_id", "region"])
        .doUpdateSet({ errors: sql<number>`run_errors.errors + 1`, last_run_id: row.last_run_id }),
    )
    .returning(["errors", "told_at"])
    .executeTakeFirstOrThrow();
}

/** Notes that an org is told of all its runs that cannot be made, `errors` of them in a row at least. @returns of how many nobody knew */
export async function markErrorsTold(db: Db, orgId: string, errors: number, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("run_errors")
    .set({ told_at: now })
    .where("org_id", "=", orgId)
    .where("errors", ">=", errors)
    .where("told_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** A run could be made again. @returns whether the one before could not */
export async function forgetRunErrors(db: Db, scenarioId: string, region: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("run_errors")
    .where("scenario_id", "=", scenarioId)
    .where("region", "=", region)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Where the last runs of an org could not be made, `errors` of them in a row at least. */
export async function runErrorsOf(db: Db, orgId: string, errors: number) {
  return db
    .selectFrom("run_errors")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("errors", ">=", errors)
    .orderBy("scenario_id")
    .orderBy("region")
    .limit(100)
    .execute();
}

/** Where the last runs could not be made and no check that is on makes any more: its checks have gone, or their region. */
export async function unwatchedRunErrors(
  db: Db,
  limit: number,
): Promise<{ scenario_id: string; region: string }[]> {
  const rows = await db
    .selectFrom("run_errors")
    .leftJoin("scheduled_checks", (join) =>
      join
        .onRef("scheduled_checks.scenario_id", "=", "run_errors.scenario_id")
        .on("scheduled_checks.enabled", "=", 1),
    )
    .select(["run_errors.scenario_id", "run_errors.region", "scheduled_checks.regions"])
    .orderBy("run_errors.scenario_id")
    .orderBy("run_errors.region")
    .execute();
  const series = Map.groupBy(rows, ({ scenario_id, region }) => `${scenario_id} ${region}`);
  const isWatched = ({ region, regions }: (typeof rows)[number]) =>
    regions !== null && (JSON.parse(regions) as string[]).includes(region);
  return [...series.values()]
    .filter((some) => !some.some(isWatched))
    .slice(0, limit)
    .map(([row]) => ({ scenario_id: row!.scenario_id, region: row!.region }));
}

const isStale = (errors: number) =>
  sql<boolean>`not exists (select 1 from run_errors where run_errors.org_id = self_alerts.org_id and run_errors.errors >= ${errors})`;

/** Whether an org was told that its runs cannot be made, of which none is left with so many errors in a row. */
export async function hasStaleSelfAlerts(db: Db, errors: number): Promise<boolean> {
  const row = await db
    .selectFrom("self_alerts")
    .select("org_id")
    .where(isStale(errors))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Forgets that orgs were told, where none is left with so many errors in a row: they are told of the next. */
export async function closeStaleSelfAlerts(db: Db, errors: number): Promise<void> {
  await db.deleteFrom("self_alerts").where(isStale(errors)).execute();
}

/**
 * Notes that an org is told now that its runs cannot be made. False when it was told less than `apartMs` ago. A time that is yet to come is
 * one of a clock that was ahead.
 */
export async function openSelfAlert(
  db: Db,
  row: { org_id: string; opened_at: number; run_id: string },
  apartMs: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("self_alerts")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("org_id")
        .doUpdateSet(row)
        .where((is) =>
          is.or([
            is("self_alerts.opened_at", "<=", row.opened_at - apartMs),
            is("self_alerts.opened_at", ">", row.opened_at),
          ]),
        ),
    )
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export async function closeSelfAlert(db: Db, orgId: string): Promise<void> {
  await db.deleteFrom("self_alerts").where("org_id", "=", orgId).execute();
}
