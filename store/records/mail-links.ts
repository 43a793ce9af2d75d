import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type MailLinkRow = Selectable<Database["mail_links"]>;

/** How many links of a purpose went to an address since a time. */
export async function countMailLinks(
  db: Db,
  { purpose, email, since }: { purpose: MailLinkRow["purpose"]; email: string; since: number },
): Promise<number> {
  const { count } = await db
    .selectFrom("mail_links")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("email", "=", email)
    .where("purpose", "=", purpose)
    .where("created_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertMailLink(db: Db, link: Insertable<Database["mail_links"]>): Promise<void> {
  await db.insertInto("mail_links").values(link).execute();
}

/** A link that can still be used. */
export function findMailLink(db: Db, hash: string, now: number): Promise<MailLinkRow | undefined> {
  return db
    .selectFrom("mail_links")
    .selectAll()
    .where("hash", "=", hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** Burns a link; undefined when it is unknown, used or expired. */
export function useMailLink(
  db: Db,
  { hash, purpose, now }: { hash: string; purpose: MailLinkRow["purpose"]; now: number },
): Promise<MailLinkRow | undefined> {
  return db
    .updateTable("mail_links")
    .set({ used_at: now })
    .where("hash", "=", hash)
    .where("purpose", "=", purpose)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
}

/** Ends every link to a user's account that was not used. */
export async function dropMailLinks(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("mail_links").where("user_id", "=", userId).where("used_at", "is", null).execute();
}

/** Forgets links that have expired. */
export async function pruneMailLinks(db: Db, now: number): Promise<void> {
  await db.deleteFrom("mail_links").where("expires_at", "<=", now).execute();
}
