import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type SessionRow = Selectable<Database["sessions"]>;

/**
 * Puts a session in; of a user who has `most` already, those that were not seen for longest end.
 * @returns hashes of those that have ended
 */
export async function insertSession(db: Db, session: SessionRow, most: number): Promise<string[]> {
  const newest = await db
    .selectFrom("sessions")
    .select("hash")
    .where("user_id", "=", session.user_id)
    .orderBy("last_seen_at")
    .orderBy("hash")
    .execute();
  const ended = newest.slice(0, Math.max(0, newest.length + 1 - most)).map(({ hash }) => hash);
  if (ended.length > 0) await db.deleteFrom("sessions").where("hash", "in", ended).execute();
  await db.insertInto("sessions").values(session).execute();
  return ended;
}

export function findSession(db: Db, hash: string): Promise<SessionRow | undefined> {
  return db.selectFrom("sessions").selectAll().where("hash", "=", hash).executeTakeFirst();
}

/** Sessions of a user that go on, the one that was seen last first. */
export function listSessions(db: Db, userId: string, now: number): Promise<SessionRow[]> {
  return db
    .selectFrom("sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .orderBy("last_seen_at", "desc")
    .orderBy("hash")
    .execute();
}

export async function extendSession(
  db: Db,
  hash: string,
  times: { last_seen_at: number; expires_at: number },
): Promise<void> {
  await db.updateTable("sessions").set(times).where("hash", "=", hash).execute();
}

/** Ends a user's sessions that are meant. @returns what has ended */
export function endSessions(
  db: Db,
  userId: string,
  meant: { id: string } | { exceptId: string | null },
): Promise<Pick<SessionRow, "id" | "hash">[]> {
  let query = db.deleteFrom("sessions").where("user_id", "=", userId);
  if ("id" in meant) query = query.where("id", "=", meant.id);
  else if (meant.exceptId !== null) query = query.where("id", "<>", meant.exceptId);
  return query.returning(["id", "hash"]).execute();
}
