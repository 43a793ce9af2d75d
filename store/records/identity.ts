import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import { rowsOf } from "./engine/engine-of.ts";
import type { Database, Role } from "./schema.ts";

type Within = Db;
export type ApiKeyRow = Selectable<Database["api_keys"]>;

/** False when there is an org of that slug. */
export async function insertOrg(
  within: Within,
  org: { id: string; slug: string; name: string; created_at: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await within
    .insertInto("orgs")
    .values(org)
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** Those that were not deleted. */
const orgs = (within: Within) => within.selectFrom("orgs").where("deleted_at", "is", null);

export function findOrg(within: Within, id: string) {
  return orgs(within).selectAll().where("id", "=", id).executeTakeFirst();
}

export function findOrgBySlug(within: Within, slug: string) {
  return orgs(within).selectAll().where("slug", "=", slug).executeTakeFirst();
}

/** Every org, the first one first. */
export function listOrgs(within: Within) {
  return orgs(within).selectAll().orderBy("created_at").orderBy("id").execute();
}

/** Ids of at most two orgs: enough to know whether there is exactly one. */
export async function someOrgIds(within: Within): Promise<string[]> {
  const rows = await orgs(within).select("id").orderBy("created_at").limit(2).execute();
  return rows.map(({ id }) => id);
}

export async function insertUser(within: Within, user: Insertable<Database["users"]>): Promise<void> {
  await within.insertInto("users").values(user).execute();
}

/** False when somebody has the address already; then nothing changes. */
export async function addUser(within: Within, user: Insertable<Database["users"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await within
    .insertInto("users")
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export function findUser(within: Within, id: string) {
  return within.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertMembership(
  within: Within,
  membership: Insertable<Database["memberships"]>,
): Promise<void> {
  await within.insertInto("memberships").values(membership).execute();
}

/** The orgs of a user with the role in each. */
export function listMemberships(within: Within, userId: string) {
  return within
    .selectFrom("memberships")
    .select(["org_id", "role"])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .execute();
}

/** The first owner of an org, for whom sign-in links are made. */
export function findOwner(within: Within, orgId: string) {
  return within
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.user_id")
    .select(["users.id", "users.email", "users.name"])
    .where("memberships.org_id", "=", orgId)
    .where("memberships.role", "=", "owner" satisfies Role)
    .orderBy("memberships.created_at")
    .executeTakeFirst();
}

export async function insertApiKey(within: Within, key: Insertable<Database["api_keys"]>): Promise<void> {
  await within.insertInto("api_keys").values(key).execute();
}

/** Asked for by every program that was not there a moment ago: the text is made once, not at each question. */
export async function findApiKeyByHash(within: Within, hash: string): Promise<ApiKeyRow | undefined> {
  const text = { sql: "select * from api_keys where hash = ?", parameters: [hash] };
  return (await rowsOf<ApiKeyRow>(within, text))[0];
}

export function findApiKey(within: Within, id: string): Promise<ApiKeyRow | undefined> {
  return within.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Whether the key was there and had not been revoked before. */
export async function revokeApiKey(within: Within, id: string, now: number): Promise<boolean> {
  const result = await within
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Notes when keys were last used; an earlier time never replaces a later one. */
export async function touchApiKeys(within: Within, uses: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, at] of uses) {
    await within
      .updateTable("api_keys")
      .set({ last_used_at: at })
      .where("id", "=", id)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", at)]))
      .execute();
  }
}

/** Ends the sessions that a user has in an org. */
export async function deleteSessionsOf(
  within: Within,
  { userId, orgId }: { userId: string; orgId: string },
): Promise<void> {
  await within.deleteFrom("sessions").where("user_id", "=", userId).where("org_id", "=", orgId).execute();
}

/** Revokes the personal tokens that a user has in an org. */
export async function revokePersonalTokens(
  within: Within,
  { userId, orgId, now }: { userId: string; orgId: string; now: number },
): Promise<void> {
  await within
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("org_id", "=", orgId)
    .where("kind", "=", "pat")
    .where("revoked_at", "is", null)
    .execute();
}

export async function insertSigninCode(
  within: Within,
  code: Omit<Insertable<Database["signin_codes"]>, "used_at">,
): Promise<void> {
  await within
    .insertInto("signin_codes")
    .values({ ...code, used_at: null })
    .execute();
}

/** Burns a code and says whose it was; undefined when it is unknown, used or expired. */
export function useSigninCode(within: Within, hash: string, now: number) {
  return within
    .updateTable("signin_codes")
    .set({ used_at: now })
    .where("hash", "=", hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning(["user_id", "org_id"])
    .executeTakeFirst();
}

/** Removes sessions and codes that can no longer be used. */
export async function pruneIdentity(within: Within, now: number): Promise<void> {
  await within.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  await within.deleteFrom("signin_codes").where("expires_at", "<=", now).execute();
}
