import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { Database } from "./schema.ts";

/** A sign-up with its token's name and scopes. */
export type SignupRow = Selectable<Database["agent_signups"]> & { name: string; scopes: string };

/** Notes an agent's sign-up while fewer than `most` of the org wait for a person. @returns whether there was room */
export function insertSignup(
  db: Db,
  row: Insertable<Database["agent_signups"]> & { org_id: string },
  { most, now }: { most: number; now: number },
): Promise<boolean> {
  return insertLimited(db, "agent_signups", row, {
    most,
    among: sql`status = 'unverified' and expires_at > ${now}`,
    onConflict: sql`on conflict (key_id) do nothing`,
  });
}

/** The sign-up that waits under a code in an org; undefined when none does, or no more. */
export function findWaitingSignup(
  db: Db,
  { orgId, codeHash, now }: { orgId: string; codeHash: string; now: number },
): Promise<SignupRow | undefined> {
  return db
    .selectFrom("agent_signups")
    .innerJoin("api_keys", "api_keys.id", "agent_signups.key_id")
    .selectAll("agent_signups")
    .select(["api_keys.name", "api_keys.scopes"])
    .where("agent_signups.code_hash", "=", codeHash)
    .where("agent_signups.org_id", "=", orgId)
    .where("agent_signups.status", "=", "unverified")
    .where("agent_signups.expires_at", ">", now)
    .where("api_keys.revoked_at", "is", null)
    .executeTakeFirst();
}

/** Notes what a person has decided, once: the code is used up. @returns whether it was still open */
export async function decideSignup(
  db: Db,
  decision: { keyId: string; status: "verified" | "refused"; by: string | null; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("agent_signups")
    .set({ status: decision.status, code_hash: null, decided_at: decision.now, decided_by: decision.by })
    .where("key_id", "=", decision.keyId)
    .where("status", "=", "unverified")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a token other scopes and another end. */
export async function regrantKey(
  db: Db,
  id: string,
  grant: { scopes: string; expires_at: number | null; made_by: string | null },
): Promise<void> {
  await db.updateTable("api_keys").set(grant).where("id", "=", id).execute();
}

/** Removes tokens that nobody has verified in time, with their sign-ups. */
export async function pruneSignups(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom("api_keys")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("agent_signups")
        .select("key_id")
        .where("status", "=", "unverified")
        .where("expires_at", "<=", now),
    )
    .execute();
}
