import type { Insertable, Selectable } from "kysely";
import { chunks } from "./chunks.ts";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { Database } from "./schema.ts";
import { inSql, type ScimCondition } from "./scim-conditions.ts";

export type ScimUserRow = Selectable<Database["scim_users"]>;

/** How a list is ordered in SQL: by this column, then by id. */
export interface ScimOrder {
  column: "created_at" | "updated_at" | "user_name_key" | "name_key" | "id";
  isDescending: boolean;
}

export interface ScimPage {
  condition: ScimCondition | null;
  order: ScimOrder;
  offset: number;
  limit: number;
}

/** Has other changes of what a directory says in this org wait until the transaction ends. */
export const holdScim = (trx: Db, orgId: string): Promise<void> =>
  engineOf(trx).alone(trx, `scim of ${orgId}`);

/** @returns false when the org has a user of this name or account already */
export async function insertScimUser(db: Db, row: Insertable<Database["scim_users"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("scim_users")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** A user that a directory has provisioned in this org. */
export function findScimUser(db: Db, orgId: string, id: string): Promise<ScimUserRow | undefined> {
  return db
    .selectFrom("scim_users")
    .selectAll()
    .where("id", "=", id)
    .where("org_id", "=", orgId)
    .executeTakeFirst();
}

/**
 * Changes a user whose version is still `version`, which becomes one more.
 * @returns false when it is another by now, or the user is gone
 * @throws the engine's error when another user of the org has the name
 */
export async function updateScimUser(
  db: Db,
  { id, version }: Pick<ScimUserRow, "id" | "version">,
  change: Pick<
    ScimUserRow,
    "user_name_key" | "external_id" | "active" | "attributes" | "folded" | "updated_at"
  >,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("scim_users")
    .set({ ...change, version: version + 1 })
    .where("id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Its places in groups go with it. @returns false when its version is another, or it is gone */
export async function deleteScimUser(
  db: Db,
  { id, version }: Pick<ScimUserRow, "id" | "version">,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("scim_users")
    .where("id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function countScimUsers(
  db: Db,
  orgId: string,
  condition: ScimCondition | null,
): Promise<number> {
  let query = db
    .selectFrom("scim_users")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId);
  if (condition) query = query.where((eb) => inSql(eb as never, condition) as never);
  return Number((await query.executeTakeFirstOrThrow()).count);
}

/** SCIM's lists are asked for by number, so that they have an offset. */
export function pageOfScimUsers(db: Db, orgId: string, page: ScimPage): Promise<ScimUserRow[]> {
  const { condition, order } = page;
  let query = db.selectFrom("scim_users").selectAll().where("org_id", "=", orgId);
  if (condition) query = query.where((eb) => inSql(eb as never, condition) as never);
  const way = order.isDescending ? "desc" : "asc";
  return query
    .orderBy(order.column as "id", way)
    .orderBy("id", way)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** The groups of users, by the user's id. */
export async function groupsOfScimUsers(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { id: string; attributes: string }[]>> {
  const found = new Map<string, { id: string; attributes: string }[]>();
  if (ids.length === 0) return found;
  const rows = await db
    .selectFrom("scim_members")
    .innerJoin("scim_groups", "scim_groups.id", "scim_members.group_id")
    .select(["scim_members.scim_user_id", "scim_groups.id", "scim_groups.attributes"])
    .where("scim_members.scim_user_id", "in", ids)
    .orderBy("scim_groups.id")
    .execute();
  for (const { scim_user_id, ...group } of rows) {
    const groups = found.get(scim_user_id);
    if (groups) groups.push(group);
    else found.set(scim_user_id, [group]);
  }
  return found;
}

/** Their representation has changed by what groups say: the tags of these users, or of all members of a group, become others. */
export async function touchScimUsers(
  db: Db,
  which: { ids: readonly string[] } | { groupId: string },
): Promise<void> {
  const query = db.updateTable("scim_users").set((eb) => ({ version: eb("version", "+", 1) }));
  if ("ids" in which) {
    for (const some of chunks(which.ids)) await query.where("id", "in", some).execute();
    return;
  }
  await query
    .where("id", "in", (eb) =>
      eb.selectFrom("scim_members").select("scim_user_id").where("group_id", "=", which.groupId),
    )
    .execute();
}
