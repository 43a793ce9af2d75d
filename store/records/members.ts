import type { Insertable } from "kysely";
import type { Db, Trx } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { Database, Role } from "./schema.ts";

/** What became of a change that an org's last owner may stand in the way of. */
export type MemberChange = "done" | "absent" | "last_owner";

interface Place {
  orgId: string;
  userId: string;
}

export interface MemberRow {
  user_id: string;
  name: string;
  email: string;
  role: Role;
  created_at: number;
}

const members = (db: Db, orgId: string) =>
  db
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.user_id")
    .select([
      "memberships.user_id",
      "users.name",
      "users.email",
      "memberships.role",
      "memberships.created_at",
    ])
    .where("memberships.org_id", "=", orgId);

/** The members of an org by their ids, which come in the order of time, after the one `after` when given. */
export function listMembers(
  db: Db,
  { orgId, limit, after }: { orgId: string; limit: number; after?: string },
): Promise<MemberRow[]> {
  const query = after === undefined ? members(db, orgId) : members(db, orgId).where("user_id", ">", after);
  return query.orderBy("memberships.user_id").limit(limit).execute();
}

export function findMember(db: Db, { orgId, userId }: Place): Promise<MemberRow | undefined> {
  return members(db, orgId).where("memberships.user_id", "=", userId).executeTakeFirst();
}

/** The orgs that a user belongs to, with the role in each, in the order of joining. */
export function orgsOfUser(db: Db, userId: string) {
  return db
    .selectFrom("memberships")
    .innerJoin("orgs", "orgs.id", "memberships.org_id")
    .select(["orgs.id", "orgs.slug", "orgs.name", "orgs.created_at", "memberships.role"])
    .where("memberships.user_id", "=", userId)
    .where("orgs.deleted_at", "is", null)
    .orderBy("memberships.created_at")
    .orderBy("orgs.id")
    .execute();
}

/** False when the user belongs to the org already; then nothing changes. */
export async function addMember(trx: Trx, membership: Insertable<Database["memberships"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("memberships")
    .values(membership)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

/** How many orgs a user owns. Of two transactions that ask at once, the second waits until the first has ended. */
export async function countOwned(trx: Trx, userId: string): Promise<number> {
  await engineOf(trx).alone(trx, `orgs of ${userId}`);
  const { count } = await trx
    .selectFrom("memberships")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function countMembers(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom("memberships")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Gives a member another role. An org keeps an owner: of two who give it up at once, one does. */
export async function setRole(trx: Trx, { role, ...place }: Place & { role: Role }): Promise<MemberChange> {
  const known = await beforeOwnersChange(trx, place);
  if (!known || (role !== "owner" && (await isLastOwner(trx, place, known.role))))
    return known ? "last_owner" : "absent";
  await trx
    .updateTable("memberships")
    .set({ role })
    .where("org_id", "=", place.orgId)
    .where("user_id", "=", place.userId)
    .execute();
  return "done";
}

/** Takes a member out of an org, which keeps an owner: of two who leave at once, one does. */
export async function removeMember(trx: Trx, place: Place): Promise<MemberChange> {
  const known = await beforeOwnersChange(trx, place);
  if (!known) return "absent";
  if (await isLastOwner(trx, place, known.role)) return "last_owner";
  await trx
    .deleteFrom("memberships")
    .where("org_id", "=", place.orgId)
    .where("user_id", "=", place.userId)
    .execute();
  return "done";
}

/** The member as it is once nobody else changes the owners of the org. */
async function beforeOwnersChange(trx: Trx, place: Place): Promise<MemberRow | undefined> {
  await engineOf(trx).alone(trx, `owners of ${place.orgId}`);
  return findMember(trx, place);
}

async function isLastOwner(trx: Trx, { orgId, userId }: Place, role: Role): Promise<boolean> {
  if (role !== "owner") return false;
  const other = await trx
    .selectFrom("memberships")
    .select("user_id")
    .where("org_id", "=", orgId)
    .where("role", "=", "owner")
    .where("user_id", "<>", userId)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}
