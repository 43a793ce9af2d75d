import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { Database } from "./schema.ts";

export type ChannelRow = Selectable<Database["notification_channels"]>;

/** False when the org has `most` of them. */
export function insertChannel(
  db: Db,
  row: Insertable<Database["notification_channels"]>,
  most: number,
): Promise<boolean> {
  return insertLimited(db, "notification_channels", row, { most, onConflict: sql`` });
}

export function findChannel(db: Db, id: string): Promise<ChannelRow | undefined> {
  return db.selectFrom("notification_channels").selectAll().where("id", "=", id).executeTakeFirst();
}

/** An org's channels, the oldest first: all of them, since an org has few. */
export function channelsOf(db: Db, orgId: string): Promise<ChannelRow[]> {
  return db
    .selectFrom("notification_channels")
    .selectAll()
    .where("org_id", "=", orgId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

export async function updateChannel(
  db: Db,
  id: string,
  change: Updateable<Database["notification_channels"]>,
): Promise<void> {
  await db.updateTable("notification_channels").set(change).where("id", "=", id).execute();
}

/** Whether it was there. */
export async function deleteChannel(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("notification_channels")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Notes that nothing arrives over a channel any more. Whether it was noted now: of two who see it, one learns so. */
export async function markBroken(db: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("notification_channels")
    .set({ broken_since: now })
    .where("id", "=", id)
    .where("broken_since", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Notes that a message has arrived over a channel: it works, and since when it is known to. @param now epoch ms */
export async function markWorking(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable("notification_channels")
    .set({ broken_since: null, arrived_at: sql<number>`coalesce(arrived_at, ${now})` })
    .where("id", "=", id)
    .where((where) => where.or([where("broken_since", "is not", null), where("arrived_at", "is", null)]))
    .execute();
}
