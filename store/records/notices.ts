import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

/**
 * Something to tell, and what became of it. It waits until `due_at`; then whoever delivers takes it (`handed_on_at`), unless it was
 * superseded before, with the reason.
 */
export type NoticeRow = Selectable<Database["notices"]>;

/** Spelled out and not bound, so that the planner sees that the partial index applies. */
const IS_WAITING = sql<boolean>`superseded_at is null and handed_on_at is null`;

/** Write it in the transaction that changes what it tells of. */
export async function insertNotice(db: Db, row: Insertable<Database["notices"]>): Promise<void> {
  await db.insertInto("notices").values(row).execute();
}

/** Writes it unless one of its id is there: ids may say what is told once. */
export async function insertNoticeOnce(db: Db, row: Insertable<Database["notices"]>): Promise<void> {
  await db
    .insertInto("notices")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** All of an incident, in the order they were made. */
export async function noticesOf(db: Db, incidentId: string): Promise<NoticeRow[]> {
  return db
    .selectFrom("notices")
    .selectAll()
    .where("incident_id", "=", incidentId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Notices that wait and whose time has come, the longest due first. */
export async function waitingNotices(db: Db, now: number, limit: number): Promise<NoticeRow[]> {
  return db
    .selectFrom("notices")
    .selectAll()
    .where(IS_WAITING)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Changes a notice that waits; false when it does not (any more): it was taken, or superseded. */
async function changeWaiting(
  db: Db,
  id: string,
  changes: Partial<
    Pick<NoticeRow, "due_at" | "reason" | "superseded_at" | "superseded_reason" | "handed_on_at">
  >,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("notices")
    .set(changes)
    .where("id", "=", id)
    .where(IS_WAITING)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes what was told, or taken back, of no incident, and was made before a time (epoch ms); how many. Others go with their incident. */
export async function pruneLoneNotices(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom("notices")
    .select("id")
    .where("created_at", "<", before)
    .where(sql<boolean>`incident_id is null`)
    .where((is) => is.or([is("handed_on_at", "is not", null), is("superseded_at", "is not", null)]))
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom("notices").where("id", "in", old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * Takes a notice for delivery, in the transaction that writes down its deliveries. Of two who try, one is told true.
 * @param now epoch ms
 */
export const handOn = (db: Db, id: string, now: number) => changeWaiting(db, id, { handed_on_at: now });

/** Takes back what was to be told; false when it was told. */
export const supersede = (db: Db, id: string, now: number, reason: string) =>
  changeWaiting(db, id, { superseded_at: now, superseded_reason: reason });

/**
 * Has the notices about incidents of an org that wait longer than others be due again: at `now`, or when they have waited for `least`
 * ms since they were made. Those that are due before that stay as they are.
 * @param now epoch ms
 */
export async function hasten(
  db: Db,
  { orgId, now, least, reason }: { orgId: string; now: number; least: number; reason: string },
): Promise<void> {
  const dueAt = sql<number>`case when created_at + ${least} > ${now} then created_at + ${least} else ${now} end`;
  await db
    .updateTable("notices")
    .set({ due_at: dueAt, reason })
    .where(IS_WAITING)
    .where("due_at", ">", dueAt)
    .where("org_id", "=", orgId)
    .where("incident_id", "is not", null)
    .execute();
}

/** Has a notice wait longer; false when it was told. */
export const postpone = (db: Db, id: string, dueAt: number, reason: string) =>
  changeWaiting(db, id, { due_at: dueAt, reason });
