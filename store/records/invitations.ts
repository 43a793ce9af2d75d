import { type Selectable, type SqlBool, sql } from "kysely";
import type { Db, Trx } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { Database, Role } from "./schema.ts";

export type InvitationRow = Selectable<Database["invitations"]>;

/**
 * Keeps an invitation, in the place of the one that its address had in the org: that link works no longer.
 * @returns false when it would be one more than `most` of its org
 */
export function putInvitation(trx: Trx, row: InvitationRow, most: number): Promise<boolean> {
  return insertLimited(trx, "invitations", row, {
    most,
    besides: sql<SqlBool>`exists (select 1 from invitations where org_id = ${row.org_id} and email = ${row.email})`,
    onConflict: sql`on conflict (org_id, email) do update set
      id = excluded.id, role = excluded.role, hash = excluded.hash, invited_by = excluded.invited_by,
      created_at = excluded.created_at, expires_at = excluded.expires_at`,
  });
}

/** Those of an org that can still be accepted, newest first, with the name of who invited. */
export function listInvitations(
  db: Db,
  { orgId, now, limit }: { orgId: string; now: number; limit: number },
) {
  return db
    .selectFrom("invitations")
    .leftJoin("users", "users.id", "invitations.invited_by")
    .select([
      "invitations.id",
      "invitations.email",
      "invitations.role",
      "invitations.created_at",
      "invitations.expires_at",
      "users.name as invited_by",
    ])
    .where("invitations.org_id", "=", orgId)
    .where("invitations.expires_at", ">", now)
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .limit(limit)
    .execute();
}

export function findInvitation(db: Db, id: string): Promise<InvitationRow | undefined> {
  return db.selectFrom("invitations").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The one that a token's hash stands for, while it can be accepted, with the org's name. */
export function openInvitation(db: Db, hash: string, now: number) {
  return db
    .selectFrom("invitations")
    .innerJoin("orgs", "orgs.id", "invitations.org_id")
    .selectAll("invitations")
    .select("orgs.name as org_name")
    .where("invitations.hash", "=", hash)
    .where("invitations.expires_at", ">", now)
    .where("orgs.deleted_at", "is", null)
    .executeTakeFirst();
}

/** The newest one of an address in lower case that can still be accepted, of one org or of any but one. */
export function invitationFor(
  db: Db,
  {
    email,
    now,
    orgId,
    notOrgId,
  }: { email: string; now: number; orgId?: string; notOrgId?: string | undefined },
): Promise<InvitationRow | undefined> {
  return db
    .selectFrom("invitations")
    .innerJoin("orgs", "orgs.id", "invitations.org_id")
    .selectAll("invitations")
    .where("invitations.email", "=", email)
    .where("invitations.expires_at", ">", now)
    .where("orgs.deleted_at", "is", null)
    .$if(orgId !== undefined, (query) => query.where("invitations.org_id", "=", orgId!))
    .$if(notOrgId !== undefined, (query) => query.where("invitations.org_id", "!=", notOrgId!))
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .executeTakeFirst();
}

/** Takes an invitation away, accepted or revoked; whether it was there. */
export async function removeInvitation(trx: Trx, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("invitations")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Takes away those that a person has made in an org: all, or those to one of some roles. */
export async function removeInvitationsBy(
  trx: Trx,
  { orgId, userId, roles }: { orgId: string; userId: string; roles: readonly Role[] | "all" },
): Promise<void> {
  let query = trx.deleteFrom("invitations").where("org_id", "=", orgId).where("invited_by", "=", userId);
  if (roles !== "all") query = query.where("role", "in", [...roles]);
  await query.execute();
}

/** Removes those that can be accepted no longer. */
export async function pruneInvitations(db: Db, now: number): Promise<void> {
  await db.deleteFrom("invitations").where("expires_at", "<=", now).execute();
}

/** The user of an address in lower case. */
export async function userOfAddress(db: Db, email: string): Promise<string | undefined> {
  const user = await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
  return user?.id;
}
