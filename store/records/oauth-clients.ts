import type { Selectable } from "kysely";
import type { Db, Trx } from "./db.ts";
import type { Database } from "./schema.ts";

export type OAuthClientRow = Selectable<Database["oauth_clients"]>;

/**
 * Keeps a program. Where `most` are kept already, the one that was not used for longest makes room, of those that nobody
 * has ever allowed anything; false when there is none.
 */
export async function insertOAuthClient(within: Trx, client: OAuthClientRow, most: number): Promise<boolean> {
  const { kept } = await within
    .selectFrom("oauth_clients")
    .select((eb) => eb.fn.countAll<number>().as("kept"))
    .executeTakeFirstOrThrow();
  if (Number(kept) >= most) {
    const idle = await within
      .selectFrom("oauth_clients")
      .select("id")
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("oauth_grants")
              .select("id")
              .whereRef("oauth_grants.client_id", "=", "oauth_clients.id"),
          ),
        ),
      )
      .orderBy("used_at")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (!idle) return false;
    await within.deleteFrom("oauth_clients").where("id", "=", idle.id).execute();
  }
  // Two may have read the same metadata document at once.
  await within
    .insertInto("oauth_clients")
    .values(client)
    .onConflict((conflict) => conflict.column("client_id").doNothing())
    .execute();
  return true;
}

/** By what it calls itself. */
export function findOAuthClient(within: Db, clientId: string): Promise<OAuthClientRow | undefined> {
  return within.selectFrom("oauth_clients").selectAll().where("client_id", "=", clientId).executeTakeFirst();
}

/** By its id here. */
export function findOAuthClientById(within: Db, id: string): Promise<OAuthClientRow | undefined> {
  return within.selectFrom("oauth_clients").selectAll().where("id", "=", id).executeTakeFirst();
}

/** What its metadata document says now. */
export async function updateOAuthClient(
  within: Db,
  id: string,
  change: Pick<OAuthClientRow, "name" | "redirect_uris" | "read_at">,
): Promise<void> {
  await within.updateTable("oauth_clients").set(change).where("id", "=", id).execute();
}

/** A later use replaces an earlier one. */
export async function touchOAuthClient(within: Db, id: string, now: number): Promise<void> {
  await within
    .updateTable("oauth_clients")
    .set({ used_at: now })
    .where("id", "=", id)
    .where("used_at", "<", now)
    .execute();
}

/** Removes programs that were last used before then and that nobody has a grant with. */
export async function pruneOAuthClients(within: Db, before: number): Promise<void> {
  await within
    .deleteFrom("oauth_clients")
    .where("used_at", "<", before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("oauth_grants").select("id").whereRef("oauth_grants.client_id", "=", "oauth_clients.id"),
        ),
      ),
    )
    .execute();
}

interface OfPerson {
  orgId: string;
  userId: string;
  clientId: string;
}

/** The scopes that a person has allowed a program in an org; none without consent. */
export async function consentedScopes(within: Db, { orgId, userId, clientId }: OfPerson): Promise<string[]> {
  const consent = await within
    .selectFrom("oauth_consents")
    .select("scopes")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return consent ? (JSON.parse(consent.scopes) as string[]) : [];
}

/** What is allowed from now on. */
export async function putConsent(
  within: Trx,
  { orgId, userId, clientId }: OfPerson,
  scopes: readonly string[],
  now: number,
): Promise<void> {
  const said = { scopes: JSON.stringify(scopes), created_at: now };
  await within
    .insertInto("oauth_consents")
    .values({ org_id: orgId, user_id: userId, client_id: clientId, ...said })
    .onConflict((conflict) => conflict.columns(["org_id", "user_id", "client_id"]).doUpdateSet(said))
    .execute();
}

/** What was allowed is asked again; without `clientId` for every program. */
export async function forgetConsents(
  within: Db,
  { orgId, userId, clientId }: Pick<OfPerson, "orgId" | "userId"> & { clientId?: string },
): Promise<void> {
  let query = within.deleteFrom("oauth_consents").where("org_id", "=", orgId).where("user_id", "=", userId);
  if (clientId !== undefined) query = query.where("client_id", "=", clientId);
  await query.execute();
}

export async function isApprovedClient(within: Db, orgId: string, clientId: string): Promise<boolean> {
  const found = await within
    .selectFrom("oauth_approvals")
    .select("client_id")
    .where("org_id", "=", orgId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return found !== undefined;
}

/** False when it was approved before. */
export async function approveClient(
  within: Db,
  approval: { org_id: string; client_id: string; approved_by: string; created_at: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await within
    .insertInto("oauth_approvals")
    .values(approval)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** False when it was not approved. */
export async function withdrawApproval(within: Db, orgId: string, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await within
    .deleteFrom("oauth_approvals")
    .where("org_id", "=", orgId)
    .where("client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
