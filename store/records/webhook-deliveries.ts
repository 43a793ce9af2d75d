import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { DeliveryState } from "./notification-schema.ts";
import type { Database } from "./schema.ts";

export type DeliveryRow = Selectable<Database["webhook_deliveries"]>;

/** False when the channel has a message for that notice already. */
export async function insertDelivery(
  db: Db,
  row: Insertable<Database["webhook_deliveries"]>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("webhook_deliveries")
    .values(row)
    .onConflict((conflict) => conflict.columns(["notice_id", "channel_id"]).doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export function findDelivery(db: Db, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom("webhook_deliveries").selectAll().where("id", "=", id).executeTakeFirst();
}

/** One page of an org's messages, newest first. */
export function listDeliveries(
  db: Db,
  {
    orgId,
    limit,
    state,
    incidentId,
    channelId,
    before,
  }: {
    orgId: string;
    limit: number;
    state?: DeliveryState | undefined;
    incidentId?: string | undefined;
    channelId?: string | undefined;
    /** The id that the page stands after. */
    before?: string | undefined;
  },
): Promise<DeliveryRow[]> {
  let query = db.selectFrom("webhook_deliveries").selectAll().where("org_id", "=", orgId);
  if (state !== undefined) query = query.where("state", "=", state);
  if (incidentId !== undefined) query = query.where("incident_id", "=", incidentId);
  if (channelId !== undefined) query = query.where("channel_id", "=", channelId);
  if (before !== undefined) query = query.where("id", "<", before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/**
 * Counts an attempt that begins now. False when it waits for none: it has ended, or is due later. When one is due that was made or tried
 * last at a time that is yet to come, its job alone knows: the clock was ahead.
 */
export async function beginAttempt(db: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("webhook_deliveries")
    .set(({ eb }) => ({ attempts: eb("attempts", "+", 1), last_attempt_at: now }))
    .where("id", "=", id)
    .where("state", "=", "pending")
    .where((is) =>
      is.or([
        is("next_attempt_at", "<=", now),
        is.and([
          is("next_attempt_at", "is not", null),
          is(sql<number>`coalesce(last_attempt_at, created_at)`, ">", now),
        ]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** What came of the last attempt, of one that still waits. Whether it did. */
export async function settleAttempt(
  db: Db,
  id: string,
  outcome: Pick<DeliveryRow, "state" | "next_attempt_at" | "last_error" | "ended_at"> &
    Partial<Pick<DeliveryRow, "last_status" | "last_answer" | "attempts" | "last_attempt_at">>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("webhook_deliveries")
    .set(outcome)
    .where("id", "=", id)
    .where("state", "=", "pending")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Has one that has ended sent again, with all its tries. Whether it had ended. */
export async function reopenDelivery(db: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("webhook_deliveries")
    .set(({ ref }) => ({
      state: "pending",
      next_attempt_at: now,
      ended_at: null,
      earlier_attempts: ref("attempts"),
    }))
    .where("id", "=", id)
    .where("state", "!=", "pending")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Gives up what waits for a channel that is no more. */
export async function endDeliveriesOf(
  db: Db,
  channelId: string,
  { now, reason }: { now: number; reason: string },
): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ state: "dead", next_attempt_at: null, last_error: reason, ended_at: now })
    .where("channel_id", "=", channelId)
    .where("state", "=", "pending")
    .execute();
}

/** Whether a channel gets, or got, a message of that event for an incident. */
export async function hasDelivery(
  db: Db,
  { channelId, incidentId, event }: { channelId: string; incidentId: string; event: string },
): Promise<boolean> {
  const found = await db
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("incident_id", "=", incidentId)
    .where("channel_id", "=", channelId)
    .where("event", "=", event)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Ids of the channels that get, or got, a message of that event for an incident. */
export async function channelsTold(
  db: Db,
  { incidentId, event }: { incidentId: string; event: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom("webhook_deliveries")
    .select("channel_id")
    .distinct()
    .where("incident_id", "=", incidentId)
    .where("event", "=", event)
    .execute();
  return rows.map(({ channel_id }) => channel_id);
}

/** Removes messages that ended before a time, but for those of incidents that go on: who was told of one is told of its end. How many. */
export async function pruneDeliveries(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom("webhook_deliveries")
    .leftJoin("incidents", (join) =>
      join
        .onRef("incidents.id", "=", "webhook_deliveries.incident_id")
        .on("incidents.resolved_at", "is", null),
    )
    .select("webhook_deliveries.id")
    .where("ended_at", "<", before)
    .where("incidents.id", "is", null)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("webhook_deliveries")
    .where("id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
