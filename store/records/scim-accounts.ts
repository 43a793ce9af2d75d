import { type Insertable, type Selectable, sql } from "kysely";
import { chunks } from "./chunks.ts";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { Database, Role } from "./schema.ts";
import type { GroupRole } from "./scim-schema.ts";

/** An account by its email address, whatever its case. */
export function findUserByAddress(db: Db, email: string) {
  return db
    .selectFrom("users")
    .selectAll()
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", sql<string>`lower(${email})`))
    .executeTakeFirst();
}

/**
 * The account of an email address, which is made when there is none. Of two who make it at once the second finds the first's.
 * @returns `isMade` when this call made it
 */
export async function ensureUser(
  db: Db,
  user: Insertable<Database["users"]>,
): Promise<{ id: string; isMade: boolean }> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("users")
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows) return { id: user.id, isMade: true };
  const known = await findUserByAddress(db, user.email);
  if (!known) throw new Error("An account's address was taken and belongs to nobody.");
  return { id: known.id, isMade: false };
}

/** @throws the engine's error when another account has the address */
export async function updateAccount(
  db: Db,
  id: string,
  change: Pick<Selectable<Database["users"]>, "email" | "name">,
): Promise<void> {
  await db.updateTable("users").set(change).where("id", "=", id).execute();
}

/** Whether another org has a membership of the account, or a directory's user of it. */
export async function isSharedAccount(db: Db, userId: string, orgId: string): Promise<boolean> {
  const member = await db
    .selectFrom("memberships")
    .select("org_id")
    .where("user_id", "=", userId)
    .where("org_id", "<>", orgId)
    .limit(1)
    .executeTakeFirst();
  if (member) return true;
  const provisioned = await db
    .selectFrom("scim_users")
    .select("id")
    .where("user_id", "=", userId)
    .where("org_id", "<>", orgId)
    .limit(1)
    .executeTakeFirst();
  return provisioned !== undefined;
}

export async function roleIn(db: Db, orgId: string, userId: string): Promise<Role | null> {
  const row = await db
    .selectFrom("memberships")
    .select("role")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** @returns false when the user is a member already */
export async function joinOrg(db: Db, membership: Selectable<Database["memberships"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("memberships")
    .values(membership)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/**
 * Ends a membership, unless it is the last owner's: the count is part of the statement.
 * @returns whether there was one that has ended
 */
export async function leaveOrg(db: Db, orgId: string, userId: string): Promise<boolean> {
  await engineOf(db).alone(db, `owners of ${orgId}`);
  const { numDeletedRows } = await db
    .deleteFrom("memberships")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .where((eb) =>
      eb.or([
        eb("role", "<>", "owner"),
        eb(
          eb
            .selectFrom("memberships as owners")
            .select(eb.fn.countAll<number>().as("count"))
            .where("owners.org_id", "=", orgId)
            .where("owners.role", "=", "owner"),
          ">",
          1,
        ),
      ]),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** @returns whether a membership has another role now; an owner's stays */
export async function setRole(db: Db, orgId: string, userId: string, role: GroupRole): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("memberships")
    .set({ role })
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .where("role", "not in", ["owner", role])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A user of a directory with the roles that its groups give. */
export interface Granted {
  id: string;
  user_id: string;
  active: number;
  group_role: GroupRole | null;
  roles: GroupRole[];
}

/** The roles that groups give to these users, or to all of the org. */
export async function grantedRoles(
  db: Db,
  orgId: string,
  ids: readonly string[] | "all",
): Promise<Granted[]> {
  const found = new Map<string, Granted>();
  for (const some of ids === "all" ? ["all" as const] : chunks(ids)) {
    let query = db
      .selectFrom("scim_users")
      .leftJoin("scim_members", "scim_members.scim_user_id", "scim_users.id")
      .leftJoin("scim_groups", "scim_groups.id", "scim_members.group_id")
      .leftJoin("scim_group_roles", (join) =>
        join
          .onRef("scim_group_roles.org_id", "=", "scim_groups.org_id")
          .onRef("scim_group_roles.name_key", "=", "scim_groups.name_key"),
      )
      .select([
        "scim_users.id",
        "scim_users.user_id",
        "scim_users.active",
        "scim_users.group_role",
        "scim_group_roles.role",
      ])
      .where("scim_users.org_id", "=", orgId);
    if (some !== "all") query = query.where("scim_users.id", "in", some);
    for (const { role, ...user } of await query.execute()) {
      const known = found.get(user.id) ?? { ...user, roles: [] };
      if (role) known.roles.push(role);
      found.set(user.id, known);
    }
  }
  return [...found.values()];
}

/** Notes the role that groups gave last. */
export async function noteGroupRole(db: Db, scimUserId: string, role: GroupRole | null): Promise<void> {
  await db.updateTable("scim_users").set({ group_role: role }).where("id", "=", scimUserId).execute();
}
