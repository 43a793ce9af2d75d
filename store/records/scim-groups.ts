import type { Insertable, Selectable } from "kysely";
import { chunks } from "./chunks.ts";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";
import { inSql, type ScimCondition } from "./scim-conditions.ts";
import type { ScimPage } from "./scim-users.ts";

export type ScimGroupRow = Selectable<Database["scim_groups"]>;

/** A member as its group shows it. */
export interface ScimMember {
  group_id: string;
  id: string;
  /** JSON: of the user. */
  attributes: string;
}

/** @returns false when the org has a group of this name already */
export async function insertScimGroup(db: Db, row: Insertable<Database["scim_groups"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("scim_groups")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export function findScimGroup(db: Db, orgId: string, id: string): Promise<ScimGroupRow | undefined> {
  return db
    .selectFrom("scim_groups")
    .selectAll()
    .where("id", "=", id)
    .where("org_id", "=", orgId)
    .executeTakeFirst();
}

/**
 * Changes a group whose version is still `version`, which becomes one more.
 * @returns false when it is another by now, or the group is gone
 * @throws the engine's error when another group of the org has the name
 */
export async function updateScimGroup(
  db: Db,
  { id, version }: Pick<ScimGroupRow, "id" | "version">,
  change: Pick<ScimGroupRow, "name_key" | "external_id" | "attributes" | "folded" | "updated_at">,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("scim_groups")
    .set({ ...change, version: version + 1 })
    .where("id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** @returns false when its version is another, or it is gone */
export async function deleteScimGroup(
  db: Db,
  { id, version }: Pick<ScimGroupRow, "id" | "version">,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("scim_groups")
    .where("id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function countScimGroups(
  db: Db,
  orgId: string,
  condition: ScimCondition | null,
): Promise<number> {
  let query = db
    .selectFrom("scim_groups")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId);
  if (condition) query = query.where((eb) => inSql(eb as never, condition) as never);
  return Number((await query.executeTakeFirstOrThrow()).count);
}

export function pageOfScimGroups(db: Db, orgId: string, page: ScimPage): Promise<ScimGroupRow[]> {
  const { condition, order } = page;
  let query = db.selectFrom("scim_groups").selectAll().where("org_id", "=", orgId);
  if (condition) query = query.where((eb) => inSql(eb as never, condition) as never);
  const way = order.isDescending ? "desc" : "asc";
  return query
    .orderBy(order.column as "id", way)
    .orderBy("id", way)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** Ids of the users in a group. */
export async function memberIdsOf(db: Db, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("scim_members")
    .select("scim_user_id")
    .where("group_id", "=", groupId)
    .execute();
  return rows.map(({ scim_user_id }) => scim_user_id);
}

/** How many users groups have, by the group's id; an empty group is not there. */
export async function countMembers(db: Db, groupIds: readonly string[]): Promise<Map<string, number>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("scim_members")
    .select((eb) => ["group_id", eb.fn.countAll<number>().as("count")])
    .where("group_id", "in", groupIds)
    .groupBy("group_id")
    .execute();
  return new Map(rows.map(({ group_id, count }) => [group_id, Number(count)]));
}

/** The users in groups with what is shown of them. */
export function membersOf(db: Db, groupIds: readonly string[]): Promise<ScimMember[]> {
  if (groupIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom("scim_members")
    .innerJoin("scim_users", "scim_users.id", "scim_members.scim_user_id")
    .select(["scim_members.group_id", "scim_users.id", "scim_users.attributes"])
    .where("scim_members.group_id", "in", groupIds)
    .orderBy("scim_members.group_id")
    .orderBy("scim_members.scim_user_id")
    .execute();
}

/** Those of the ids that are users of the org. */
export async function knownScimUsers(db: Db, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const some of chunks(ids)) {
    const rows = await db
      .selectFrom("scim_users")
      .select("id")
      .where("org_id", "=", orgId)
      .where("id", "in", some)
      .execute();
    for (const { id } of rows) known.add(id);
  }
  return known;
}

export async function addMembers(db: Db, groupId: string, ids: readonly string[]): Promise<void> {
  for (const some of chunks(ids))
    await db
      .insertInto("scim_members")
      .values(some.map((scim_user_id) => ({ group_id: groupId, scim_user_id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export async function removeMembers(db: Db, groupId: string, ids: readonly string[]): Promise<void> {
  for (const some of chunks(ids))
    await db
      .deleteFrom("scim_members")
      .where("group_id", "=", groupId)
      .where("scim_user_id", "in", some)
      .execute();
}

/** Their representation has changed by what a user is called: the tags of all groups that it is in become others. */
export async function touchGroupsOf(db: Db, scimUserId: string): Promise<void> {
  await db
    .updateTable("scim_groups")
    .set((eb) => ({ version: eb("version", "+", 1) }))
    .where("id", "in", (eb) =>
      eb.selectFrom("scim_members").select("group_id").where("scim_user_id", "=", scimUserId),
    )
    .execute();
}
