import type { Selectable } from "kysely";
import type { Db, Trx } from "./db.ts";
import type { Database, Role } from "./schema.ts";

export type OAuthGrantRow = Selectable<Database["oauth_grants"]>;
export type OAuthTokenRow = Selectable<Database["oauth_tokens"]>;
export type NewGrant = Omit<OAuthGrantRow, "code_used_at" | "last_used_at" | "revoked_at">;

/** A grant whose code nobody has used yet. */
export async function insertGrant(within: Trx, grant: NewGrant): Promise<void> {
  await within
    .insertInto("oauth_grants")
    .values({ ...grant, code_used_at: null, last_used_at: null, revoked_at: null })
    .execute();
}

export function findGrant(within: Db, id: string): Promise<OAuthGrantRow | undefined> {
  return within.selectFrom("oauth_grants").selectAll().where("id", "=", id).executeTakeFirst();
}

export function findGrantByCode(within: Db, codeHash: string): Promise<OAuthGrantRow | undefined> {
  return within.selectFrom("oauth_grants").selectAll().where("code_hash", "=", codeHash).executeTakeFirst();
}

/** Uses up a grant's code; false when it was used before, has expired, or the grant was revoked. */
export async function useGrantCode(
  within: Trx,
  id: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await within
    .updateTable("oauth_grants")
    .set({ code_used_at: now, expires_at: expiresAt })
    .where("id", "=", id)
    .where("code_used_at", "is", null)
    .where("revoked_at", "is", null)
    .where("code_expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function insertOAuthTokens(
  within: Trx,
  tokens: readonly Omit<OAuthTokenRow, "used_at">[],
): Promise<void> {
  await within
    .insertInto("oauth_tokens")
    .values(tokens.map((token) => ({ ...token, used_at: null })))
    .execute();
}

export function findOAuthToken(within: Db, hash: string): Promise<OAuthTokenRow | undefined> {
  return within.selectFrom("oauth_tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
}

/** Uses up a refresh token; false when it was used before or has expired. */
export async function useRefreshToken(within: Trx, hash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await within
    .updateTable("oauth_tokens")
    .set({ used_at: now })
    .where("hash", "=", hash)
    .where("kind", "=", "refresh")
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A grant lives on with its new refresh token; false when it was revoked. */
export async function extendGrant(within: Trx, id: string, expiresAt: number): Promise<boolean> {
  const { numUpdatedRows } = await within
    .updateTable("oauth_grants")
    .set({ expires_at: expiresAt })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteOAuthToken(within: Trx, hash: string): Promise<void> {
  await within.deleteFrom("oauth_tokens").where("hash", "=", hash).execute();
}

/** An access token with its grant and the role that its person has in the org now. */
export function findAccess(
  within: Db,
  hash: string,
): Promise<
  | {
      hash: string;
      expires_at: number;
      grant_id: string;
      org_id: string;
      user_id: string;
      scopes: string;
      resource: string;
      role: Role;
    }
  | undefined
> {
  return within
    .selectFrom("oauth_tokens")
    .innerJoin("oauth_grants", "oauth_grants.id", "oauth_tokens.grant_id")
    .innerJoin("memberships", (join) =>
      join
        .onRef("memberships.org_id", "=", "oauth_grants.org_id")
        .onRef("memberships.user_id", "=", "oauth_grants.user_id"),
    )
    .select([
      "oauth_tokens.hash",
      "oauth_tokens.expires_at",
      "oauth_tokens.grant_id",
      "oauth_grants.org_id",
      "oauth_grants.user_id",
      "oauth_grants.resource",
      "memberships.role",
    ])
    .select((eb) => eb.fn.coalesce("oauth_tokens.scopes", "oauth_grants.scopes").as("scopes"))
    .where("oauth_tokens.hash", "=", hash)
    .where("oauth_tokens.kind", "=", "access")
    .where("oauth_grants.revoked_at", "is", null)
    .executeTakeFirst();
}

/** Ends a grant with all its tokens; false when it had been revoked before. */
export async function revokeGrant(within: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await within
    .updateTable("oauth_grants")
    .set({ revoked_at: now })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends every grant that a user has given in an org. */
export async function revokeGrantsOf(
  within: Db,
  { userId, orgId, now }: { userId: string; orgId: string; now: number },
): Promise<void> {
  await within
    .updateTable("oauth_grants")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("org_id", "=", orgId)
    .where("revoked_at", "is", null)
    .execute();
}

/** Ends what a person has granted a program in an org but for the newest `most`. Returns the ids of what has ended. */
export async function revokeSurplusGrants(
  within: Trx,
  {
    orgId,
    userId,
    clientId,
    most,
    now,
  }: {
    orgId: string;
    userId: string;
    clientId: string;
    most: number;
    now: number;
  },
): Promise<string[]> {
  const live = await within
    .selectFrom("oauth_grants")
    .select("id")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId)
    .where("revoked_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(most + 1000)
    .execute();
  const ids = live.slice(most).map(({ id }) => id);
  if (ids.length > 0)
    await within.updateTable("oauth_grants").set({ revoked_at: now }).where("id", "in", ids).execute();
  return ids;
}

export type ListedGrant = Awaited<ReturnType<typeof listGrants>>[number];

/** Grants of an org that are in use, newest first, after the grant `before` when given; `userId` names whose alone. */
export function listGrants(
  within: Db,
  options: {
    orgId: string;
    userId?: string;
    now: number;
    limit: number;
    before?: { created_at: number; id: string };
  },
) {
  const { orgId, userId, now, limit, before } = options;
  let query = within
    .selectFrom("oauth_grants")
    .innerJoin("oauth_clients", "oauth_clients.id", "oauth_grants.client_id")
    .innerJoin("users", "users.id", "oauth_grants.user_id")
    .leftJoin("oauth_approvals", (join) =>
      join
        .onRef("oauth_approvals.client_id", "=", "oauth_grants.client_id")
        .onRef("oauth_approvals.org_id", "=", "oauth_grants.org_id"),
    )
    .select([
      "oauth_grants.id",
      "oauth_grants.user_id",
      "oauth_grants.scopes",
      "oauth_grants.redirect_uri",
      "oauth_grants.created_at",
      "oauth_grants.expires_at",
      "oauth_grants.last_used_at",
      "oauth_clients.id as client_row",
      "oauth_clients.client_id",
      "oauth_clients.name as client_name",
      "users.name as user_name",
      "users.email as user_email",
      "oauth_approvals.created_at as approved_at",
    ])
    .where("oauth_grants.org_id", "=", orgId)
    .where("oauth_grants.code_used_at", "is not", null)
    .where("oauth_grants.revoked_at", "is", null)
    .where("oauth_grants.expires_at", ">", now);
  if (userId !== undefined) query = query.where("oauth_grants.user_id", "=", userId);
  if (before)
    query = query.where((eb) =>
      eb(
        eb.refTuple("oauth_grants.created_at", "oauth_grants.id"),
        "<",
        eb.tuple(before.created_at, before.id),
      ),
    );
  return query
    .orderBy("oauth_grants.created_at", "desc")
    .orderBy("oauth_grants.id", "desc")
    .limit(limit)
    .execute();
}

/** Notes when grants were last used; an earlier time never replaces a later one. */
export async function touchGrants(within: Db, uses: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, at] of uses)
    await within
      .updateTable("oauth_grants")
      .set({ last_used_at: at })
      .where("id", "=", id)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", at)]))
      .execute();
}

/** Removes tokens and grants that can no longer be used. */
export async function pruneGrants(within: Db, now: number): Promise<void> {
  await within.deleteFrom("oauth_tokens").where("expires_at", "<=", now).execute();
  await within.deleteFrom("oauth_grants").where("expires_at", "<=", now).execute();
}
