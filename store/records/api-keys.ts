import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { Database } from "./schema.ts";
import type { KeyKind } from "./token-schema.ts";

/** A key or token with the name of whoever made it, and how far an agent's sign-up is. */
export type ListedKey = Selectable<Database["api_keys"]> & {
  maker_id: string | null;
  maker_name: string | null;
  signup_status: Database["agent_signups"]["status"] | null;
};

/**
 * Inserts a key or token while there is room: of personal tokens a person may have `most` in an org, of keys and service
 * tokens an org may. Those that were revoked or have expired take no room.
 * @returns whether there was room
 */
export function insertLimitedKey(
  db: Db,
  row: Insertable<Database["api_keys"]> & { org_id: string },
  { most, now }: { most: number; now: number },
): Promise<boolean> {
  const whose = row.kind === "pat" ? sql`kind = 'pat' and user_id = ${row.user_id}` : sql`kind <> 'pat'`;
  return insertLimited(db, "api_keys", row, {
    most,
    among: sql`${whose} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
    onConflict: sql`on conflict (id) do nothing`,
  });
}

export interface KeyListQuery {
  orgId: string;
  limit: number;
  kinds: readonly KeyKind[];
  /** Only what stands for this person. */
  userId?: string;
  before?: { created_at: number; id: string };
}

/** Keys and tokens of an org that were not revoked, newest first. */
export function listApiKeys(
  db: Db,
  { orgId, limit, kinds, userId, before }: KeyListQuery,
): Promise<ListedKey[]> {
  let query = listed(db)
    .where("api_keys.org_id", "=", orgId)
    .where("api_keys.revoked_at", "is", null)
    .where("api_keys.kind", "in", kinds);
  if (userId !== undefined) query = query.where("api_keys.user_id", "=", userId);
  if (before)
    query = query.where((eb) =>
      eb(eb.refTuple("api_keys.created_at", "api_keys.id"), "<", eb.tuple(before.created_at, before.id)),
    );
  return query.orderBy("api_keys.created_at", "desc").orderBy("api_keys.id", "desc").limit(limit).execute();
}

/** One of them by its id, revoked or not. */
export function findListedKey(db: Db, id: string): Promise<ListedKey | undefined> {
  return listed(db).where("api_keys.id", "=", id).executeTakeFirst();
}

function listed(db: Db) {
  return db
    .selectFrom("api_keys")
    .leftJoin("users", (join) =>
      join.on((eb) => eb("users.id", "=", eb.fn.coalesce("api_keys.made_by", "api_keys.user_id"))),
    )
    .leftJoin("agent_signups", "agent_signups.key_id", "api_keys.id")
    .selectAll("api_keys")
    .select(["users.id as maker_id", "users.name as maker_name", "agent_signups.status as signup_status"]);
}

/** The role of a person in an org; undefined for whoever is no member. */
export async function roleIn(db: Db, userId: string, orgId: string) {
  const row = await db
    .selectFrom("memberships")
    .select("role")
    .where("user_id", "=", userId)
    .where("org_id", "=", orgId)
    .executeTakeFirst();
  return row?.role;
}
