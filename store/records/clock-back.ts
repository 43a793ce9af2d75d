import { sql } from "kysely";
import type { Db, Trx } from "./db.ts";

/** Results of one statement: others that write come in between. */
const AT_ONCE = 1000;

/**
 * Results that ended at a time that is yet to come ended now: the clock was ahead. Their order among themselves is that of their runs'
 * ids. @returns whether more may be left
 */
export async function moveResultsBack(db: Db, now: number): Promise<boolean> {
  const ahead = db.selectFrom("alert_results").select("run_id").where("at", ">", now).limit(AT_ONCE);
  const { numUpdatedRows } = await db
    .updateTable("alert_results")
    .set({ at: now })
    .where("run_id", "in", ahead)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === BigInt(AT_ONCE);
}

/** Takes the times of incidents back that are yet to come, and those of what they tell. */
export async function moveIncidentsBack(trx: Trx, now: number): Promise<void> {
  for (const column of ["opened_at", "failing_at", "acknowledged_at", "resolved_at"] as const)
    await trx
      .updateTable("incidents")
      .set({ [column]: now })
      .where(column, ">", now)
      .execute();
  await trx.updateTable("incident_timeline").set({ at: now }).where("at", ">", now).execute();
}

/**
 * Takes the times of notices back that are yet to come. One that waits is due after `graceMs` at the latest: who finds it due asks again
 * whether maintenance is going on.
 */
export async function moveNoticesBack(trx: Trx, now: number, graceMs: number): Promise<void> {
  for (const column of ["created_at", "handed_on_at", "superseded_at"] as const)
    await trx
      .updateTable("notices")
      .set({ [column]: now })
      .where(column, ">", now)
      .execute();
  await trx
    .updateTable("notices")
    .set({ due_at: now + graceMs })
    .where("due_at", ">", now + graceMs)
    .where("superseded_at", "is", null)
    .where("handed_on_at", "is", null)
    .execute();
}

/** Spelled out and not bound, so that the planner sees that the partial index applies. */
const IS_PENDING = sql<boolean>`state = 'pending'`;

/** Messages that wait, and were made or tried last at a time that is yet to come, wait from now on as long as they were to wait then. */
export async function moveDeliveriesBack(trx: Trx, now: number): Promise<void> {
  const since = sql<number>`coalesce(last_attempt_at, created_at)`;
  await trx
    .updateTable("webhook_deliveries")
    .set({
      next_attempt_at: sql<
        number | null
      >`case when next_attempt_at > ${since} then ${now} + next_attempt_at - ${since} when next_attempt_at > ${now} then ${now} else next_attempt_at end`,
      last_attempt_at: sql<
        number | null
      >`case when last_attempt_at > ${now} then ${now} else last_attempt_at end`,
      created_at: sql<number>`case when created_at > ${now} then ${now} else created_at end`,
    })
    .where(IS_PENDING)
    .where(since, ">", now)
    .execute();
}

/** Checks that count from a time that is yet to come count from now. */
export async function moveCountsBack(db: Db, now: number): Promise<void> {
  await db.updateTable("scheduled_checks").set({ counts_from: now }).where("counts_from", ">", now).execute();
}

/** Forgets hours of availability that are yet to come, and has those of their series go on from now. */
export async function moveHoursBack(trx: Trx, now: number): Promise<void> {
  await trx.deleteFrom("result_hours").where("hour", ">", now).execute();
  await trx.updateTable("result_folds").set({ at: now }).where("at", ">", now).execute();
}

/** Cells of the grid whose newest run ended at a time that is yet to come, in their order. */
export function cellsAhead(db: Db, now: number) {
  return db
    .selectFrom("grid_cells")
    .select(["org_id", "scenario_id", "region"])
    .where("last_run_at", ">", now)
    .orderBy("scenario_id")
    .orderBy("region")
    .execute();
}
