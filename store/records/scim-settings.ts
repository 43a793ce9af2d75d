import type { Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type GroupRoleRow = Selectable<Database["scim_group_roles"]>;
export type ScimErrorRow = Selectable<Database["scim_errors"]>;

export function groupRolesOf(db: Db, orgId: string): Promise<GroupRoleRow[]> {
  return db
    .selectFrom("scim_group_roles")
    .selectAll()
    .where("org_id", "=", orgId)
    .orderBy("name_key")
    .execute();
}

/** Puts these in the place of all that the org had. */
export async function replaceGroupRoles(db: Db, orgId: string, rows: readonly GroupRoleRow[]): Promise<void> {
  await db.deleteFrom("scim_group_roles").where("org_id", "=", orgId).execute();
  if (rows.length > 0)
    await db
      .insertInto("scim_group_roles")
      .values([...rows])
      .execute();
}

/** Keeps an error, and of the org's others at most the newest `most` that came after `since`. */
export async function noteScimError(
  db: Db,
  row: ScimErrorRow,
  { since, most }: { since: number; most: number },
): Promise<void> {
  await db.insertInto("scim_errors").values(row).execute();
  await db
    .deleteFrom("scim_errors")
    .where("org_id", "=", row.org_id)
    .where((eb) =>
      eb.or([
        eb("at", "<", since),
        eb("id", "not in", (kept) =>
          kept
            .selectFrom("scim_errors as newest")
            .select("newest.id")
            .where("newest.org_id", "=", row.org_id)
            .orderBy("newest.at", "desc")
            .orderBy("newest.id", "desc")
            .limit(most),
        ),
      ]),
    )
    .execute();
}

/** Newest first. */
export function scimErrorsOf(db: Db, orgId: string, since: number): Promise<ScimErrorRow[]> {
  return db
    .selectFrom("scim_errors")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("at", ">=", since)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** The keys of an org that carry a scope, newest first, without those that were revoked or have expired. */
export function keysWithScope(db: Db, orgId: string, scope: string, now: number) {
  return db
    .selectFrom("api_keys")
    .select(["id", "name", "prefix", "scopes", "created_at", "expires_at", "last_used_at"])
    .where("org_id", "=", orgId)
    .where("revoked_at", "is", null)
    .where("scopes", "like", `%"${scope}"%`)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(100)
    .execute();
}

/** The groups of these names, by the name in lower case. */
export async function groupSizes(db: Db, orgId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("scim_group_roles")
    .innerJoin("scim_groups", (join) =>
      join
        .onRef("scim_groups.org_id", "=", "scim_group_roles.org_id")
        .onRef("scim_groups.name_key", "=", "scim_group_roles.name_key"),
    )
    .leftJoin("scim_members", "scim_members.group_id", "scim_groups.id")
    .select((eb) => [
      "scim_group_roles.name_key",
      eb.fn.count<number>("scim_members.scim_user_id").as("count"),
    ])
    .where("scim_group_roles.org_id", "=", orgId)
    .groupBy("scim_group_roles.name_key")
    .execute();
  return new Map(rows.map(({ name_key, count }) => [name_key, Number(count)]));
}
