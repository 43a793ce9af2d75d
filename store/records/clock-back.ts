import { sql, type Updateable } from "kysely";
import { noteRest } from "./check-rests.ts";
import type { Db, Trx } from "./db.ts";
import type { Database } from "./schema.ts";

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

/** When an incident was suppressed last. */
const SUPPRESSED_AT = sql<number>`(SELECT max(entry.at) FROM incident_timeline AS entry WHERE entry.incident_id = incidents.id AND entry.kind = 'suppressed')`;

/**
 * Takes the times of incidents back that are yet to come, and those of what they tell. A suppression of a time that is yet to come lasts as
 * long from now.
 */
export async function moveIncidentsBack(trx: Trx, now: number): Promise<void> {
  await trx
    .updateTable("incidents")
    .set({ suppressed_until: sql<number>`suppressed_until - ${SUPPRESSED_AT} + ${now}` })
    .where("status", "=", "suppressed")
    .where("suppressed_until", ">", now)
    .where(SUPPRESSED_AT, ">", now)
    .execute();
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

/** Pauses that were set at a time that is yet to come, and whether the check has fired after they were over. */
export async function pausesAhead(db: Db, now: number, limit: number) {
  const rows = await db
    .selectFrom("scheduled_checks")
    .select(["id", "cron", "timezone", "enabled", "paused_at", "paused_until", "last_tick_at"])
    .where("paused_at", ">", now)
    .limit(limit)
    .execute();
  return rows.map(({ paused_at, paused_until, last_tick_at, ...check }) => ({
    ...check,
    at: paused_at ?? now,
    until: paused_until ?? now,
    isOver: last_tick_at !== null && last_tick_at >= (paused_until ?? now),
  }));
}

/** Puts a pause nearer, or takes it away; nothing happens when it was set otherwise meanwhile. */
export async function movePauseBack(
  trx: Trx,
  pause: { id: string; at: number },
  to: Pick<Updateable<Database["scheduled_checks"]>, "paused_at" | "paused_until" | "next_run_at">,
): Promise<void> {
  await trx
    .updateTable("scheduled_checks")
    .set(to)
    .where("id", "=", pause.id)
    .where("paused_at", "=", pause.at)
    .execute();
}

/** Rests of checks begin and end no later than now, or with the pause that goes on: of those that begin later none is left. */
export async function moveRestsBack(trx: Trx, now: number): Promise<void> {
  await trx.deleteFrom("check_rests").where("from_at", ">", now).execute();
  const open = await trx
    .selectFrom("check_rests as rest")
    .innerJoin("scheduled_checks as check", "check.id", "rest.check_id")
    .select(["check.id", "check.enabled", "check.paused_until"])
    .where((is) => is.or([is("rest.until_at", "is", null), is("rest.until_at", ">", now)]))
    .union(
      trx
        .selectFrom("scheduled_checks as check")
        .select(["check.id", "check.enabled", "check.paused_until"])
        .where((is) => is.or([is("check.enabled", "=", 0), is("check.paused_until", ">", now)])),
    )
    .execute();
  for (const { id, enabled, paused_until } of open) {
    const isPaused = paused_until !== null && paused_until > now;
    await noteRest(trx, {
      checkId: id,
      at: now,
      until: enabled === 0 ? null : isPaused ? paused_until : undefined,
    });
  }
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
