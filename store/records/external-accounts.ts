import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type ExternalAccountRow = Selectable<Database["external_accounts"]>;

/** Whose an account at a provider is. */
export function findExternalAccount(
  db: Db,
  issuer: string,
  subject: string,
): Promise<ExternalAccountRow | undefined> {
  return db
    .selectFrom("external_accounts")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
}

/** The accounts of a user. */
export function externalAccountsOf(db: Db, userId: string): Promise<ExternalAccountRow[]> {
  return db
    .selectFrom("external_accounts")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("issuer")
    .orderBy("subject")
    .execute();
}

/** @returns false when that account is somebody's already */
export async function insertExternalAccount(db: Db, account: ExternalAccountRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("external_accounts")
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** Takes a user's accounts at providers away, but for the one to be kept. @returns how many */
export async function removeExternalAccounts(
  db: Db,
  userId: string,
  kept: Pick<ExternalAccountRow, "issuer" | "subject"> | null,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("external_accounts")
    .where("user_id", "=", userId)
    .$if(kept !== null, (query) =>
      query.where((eb) => eb.or([eb("issuer", "<>", kept!.issuer), eb("subject", "<>", kept!.subject)])),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
