import type { Insertable, Selectable } from "kysely";
import type { Db, Trx } from "./db.ts";
import type { InboundState } from "./inbound-schema.ts";
import type { Database } from "./schema.ts";

export type InboundRow = Selectable<Database["inbound_deliveries"]>;

export async function insertInbound(db: Db, row: Insertable<Database["inbound_deliveries"]>): Promise<void> {
  await db.insertInto("inbound_deliveries").values(row).execute();
}

export function findInbound(db: Db, id: string): Promise<InboundRow | undefined> {
  return db.selectFrom("inbound_deliveries").selectAll().where("id", "=", id).executeTakeFirst();
}

/** One page of what an org was told, newest first. */
export function listInbound(
  db: Db,
  {
    orgId,
    limit,
    state,
    before,
  }: { orgId: string; limit: number; state?: InboundState | undefined; before?: string | undefined },
): Promise<InboundRow[]> {
  let query = db.selectFrom("inbound_deliveries").selectAll().where("org_id", "=", orgId);
  if (state !== undefined) query = query.where("state", "=", state);
  if (before !== undefined) query = query.where("id", "<", before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/** What came of the last attempt at one that waits. Whether it did. */
export async function settleInbound(
  db: Db,
  id: string,
  outcome: Pick<InboundRow, "state" | "outcome" | "error" | "attempts" | "next_attempt_at" | "ended_at">,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("inbound_deliveries")
    .set(outcome)
    .where("id", "=", id)
    .where("state", "=", "queued")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Has one that has ended handled again, with all its tries. Whether it had ended. */
export async function reopenInbound(db: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("inbound_deliveries")
    .set(({ eb }) => ({
      state: "queued" as const,
      ...{ outcome: null, error: null, attempts: 0, next_attempt_at: now, tried_since: now, ended_at: null },
      replays: eb("replays", "+", 1),
    }))
    .where("id", "=", id)
    .where("state", "!=", "queued")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Notes what the host's id is answered. Two of the same id that come at once meet here.
 * @returns null when it is new, or the one before is older than `since`; else what was answered then
 */
export async function claimGuid(
  trx: Trx,
  { guid, answer, now, since }: { guid: string; answer: string; now: number; since: number },
): Promise<string | null> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("inbound_answers")
    .values({ guid, answer, seen_at: now })
    .onConflict((conflict) =>
      conflict
        .column("guid")
        .doUpdateSet({ answer, seen_at: now })
        .where("inbound_answers.seen_at", "<", since),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n ? null : recentAnswer(trx, guid, since);
}

/** What an id was answered since a time; null when it was not. */
export async function recentAnswer(db: Db, guid: string, since: number): Promise<string | null> {
  const row = await db
    .selectFrom("inbound_answers")
    .select("answer")
    .where("guid", "=", guid)
    .where("seen_at", ">=", since)
    .executeTakeFirst();
  return row?.answer ?? null;
}

/** Which of these ids were taken. */
export async function takenGuids(db: Db, guids: readonly string[]): Promise<Set<string>> {
  if (guids.length === 0) return new Set();
  const rows = await db.selectFrom("inbound_answers").select("guid").where("guid", "in", guids).execute();
  return new Set(rows.map(({ guid }) => guid));
}

/** Notes that the host was asked for a delivery once more. @returns false when it was asked `most` times before */
export async function noteAsked(
  db: Db,
  { guid, now, most }: { guid: string; now: number; most: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("inbound_redeliveries")
    .values({ guid, asked: 1, asked_at: now })
    .onConflict((conflict) =>
      conflict
        .column("guid")
        .doUpdateSet(({ eb }) => ({ asked: eb("inbound_redeliveries.asked", "+", 1), asked_at: now }))
        .where("inbound_redeliveries.asked", "<", most),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Whether the host was asked for a delivery since a time. */
export async function wasAsked(db: Db, guid: string, since: number): Promise<boolean> {
  const row = await db
    .selectFrom("inbound_redeliveries")
    .select("guid")
    .where("guid", "=", guid)
    .where("asked_at", ">=", since)
    .executeTakeFirst();
  return row !== undefined;
}

/** Until when it is known that an org has missed nothing; null before the first look. */
export async function lookedAt(db: Db, orgId: string): Promise<number | null> {
  const row = await db
    .selectFrom("inbound_looks")
    .select("looked_at")
    .where("org_id", "=", orgId)
    .executeTakeFirst();
  return row?.looked_at ?? null;
}

export async function noteLook(db: Db, orgId: string, now: number): Promise<void> {
  await db
    .insertInto("inbound_looks")
    .values({ org_id: orgId, looked_at: now })
    .onConflict((conflict) => conflict.column("org_id").doUpdateSet({ looked_at: now }))
    .execute();
}

/** Removes what ended before a time, and what is more than `most` of it: the oldest. How many deliveries. */
export async function pruneInbound(
  db: Db,
  { before, most, atOnce }: { before: number; most: number; atOnce: number },
): Promise<number> {
  const extra = await db
    .selectFrom("inbound_deliveries")
    .select("ended_at")
    .where("ended_at", "is not", null)
    .orderBy("ended_at", "desc")
    .offset(most)
    .limit(1)
    .executeTakeFirst();
  const until = Math.max(before, extra?.ended_at ?? before);
  const old = db
    .selectFrom("inbound_deliveries")
    .select("id")
    .where("ended_at", "<=", until)
    .orderBy("ended_at")
    .limit(atOnce);
  const { numDeletedRows } = await db
    .deleteFrom("inbound_deliveries")
    .where("id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Forgets ids that were taken, or asked for, before a time. */
export async function forgetGuids(db: Db, { taken, asked }: { taken: number; asked: number }): Promise<void> {
  await db.deleteFrom("inbound_answers").where("seen_at", "<", taken).execute();
  await db.deleteFrom("inbound_redeliveries").where("asked_at", "<", asked).execute();
}
