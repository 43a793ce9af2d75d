import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";
import type { MailState } from "./sign-in-schema.ts";

export type MailRow = Selectable<Database["mails"]>;
export type NewMail = Insertable<Database["mails"]>;

/** Puts a mail in; of an org that has `most` already, the oldest go. */
export async function insertMail(db: Db, mail: NewMail, most: number): Promise<void> {
  const { count } = await db
    .selectFrom("mails")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", mail.org_id)
    .executeTakeFirstOrThrow();
  const surplus = Number(count) + 1 - most;
  if (surplus > 0) {
    const oldest = db
      .selectFrom("mails")
      .select("id")
      .where("org_id", "=", mail.org_id)
      .orderBy("created_at")
      .orderBy("id")
      .limit(surplus);
    await db.deleteFrom("mails").where("id", "in", oldest).execute();
  }
  await db.insertInto("mails").values(mail).execute();
}

export function findMail(db: Db, id: string): Promise<MailRow | undefined> {
  return db.selectFrom("mails").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Mails of an org, newest first, after the mail `before` when given. */
export function listMails(
  db: Db,
  options: { orgId: string; limit: number; before?: { created_at: number; id: string } },
): Promise<MailRow[]> {
  let query = db.selectFrom("mails").selectAll().where("org_id", "=", options.orgId);
  const { before } = options;
  if (before)
    query = query.where((eb) =>
      eb(eb.refTuple("created_at", "id"), "<", eb.tuple(before.created_at, before.id)),
    );
  return query.orderBy("created_at", "desc").orderBy("id", "desc").limit(options.limit).execute();
}

/**
 * Writes down how sending a queued mail went.
 * @param result.wipe whether the body goes, since nobody needs it any more
 * @returns false when the mail was not queued
 */
export async function settleMail(
  db: Db,
  id: string,
  result: { state: MailState; attempts: number; error: string | null; sent_at?: number; wipe?: boolean },
): Promise<boolean> {
  const { wipe = false, ...columns } = result;
  const { numUpdatedRows } = await db
    .updateTable("mails")
    .set({ ...columns, ...(wipe ? { sealed: null } : {}) })
    .where("id", "=", id)
    .where("state", "=", "queued")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Wipes the body of a mail whose link was used. */
export async function wipeMail(db: Db, id: string): Promise<void> {
  await db.updateTable("mails").set({ sealed: null, secret_until: null }).where("id", "=", id).execute();
}

/** Wipes bodies that are of no use any more, and removes mails that were made before `before`. */
export async function pruneMails(db: Db, { now, before }: { now: number; before: number }): Promise<void> {
  await db
    .updateTable("mails")
    .set({ sealed: null, secret_until: null })
    .where("secret_until", "<=", now)
    .execute();
  await db.deleteFrom("mails").where("created_at", "<", before).execute();
}
