import { sql } from "kysely";
import type { Db, Records, Trx } from "./db.ts";
import type { TraceRow } from "./traces.ts";

/** Changes what an org is called. */
export async function renameOrg(trx: Trx, id: string, name: string): Promise<void> {
  await trx.updateTable("orgs").set({ name }).where("id", "=", id).execute();
}

export async function openStatusPage(trx: Trx, id: string, isPublic: boolean): Promise<void> {
  await trx
    .updateTable("orgs")
    .set({ status_page: isPublic ? 1 : 0 })
    .where("id", "=", id)
    .execute();
}

/** Whether an org is there and was not deleted. */
export async function isOrgThere(db: Db, id: string): Promise<boolean> {
  const found = await db
    .selectFrom("orgs")
    .select("id")
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Marks an org as deleted and takes away all by which anybody gets into it.
 * @returns who belonged to it; null when it was deleted before
 */
export async function shutOrg(trx: Trx, id: string, now: number): Promise<{ userIds: string[] } | null> {
  const { numUpdatedRows } = await trx
    .updateTable("orgs")
    .set({ deleted_at: now })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  const gone = await trx.deleteFrom("memberships").where("org_id", "=", id).returning("user_id").execute();
  for (const table of [
    "sessions",
    "signin_codes",
    "mail_links",
    "mails",
    "api_keys",
    "invitations",
    "secrets",
  ] as const)
    await trx.deleteFrom(table).where("org_id", "=", id).execute();
  return { userIds: gone.map(({ user_id }) => user_id) };
}

/** Orgs that were deleted and whose rows are still there. */
export async function orgsToErase(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("orgs")
    .select("id")
    .where("deleted_at", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Some traces of an org. */
export function someTracesOf(db: Db, orgId: string, limit: number): Promise<TraceRow[]> {
  return db
    .selectFrom("traces")
    .selectAll()
    .where("org_id", "=", orgId)
    .orderBy("ord")
    .limit(limit)
    .execute();
}

/** Removes runs, replays and test runs of a deleted org, a few at a time; their ids, none when none are left. */
export async function eraseSome(trx: Trx, orgId: string, limit: number): Promise<string[]> {
  for (const table of ["runs", "replays", "test_runs"] as const) {
    const some = await trx
      .selectFrom(table)
      .select("id")
      .where("org_id", "=", orgId)
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    if (some.length === 0) continue;
    const ids = some.map(({ id }) => id);
    if (table === "test_runs") await forgetTestRuns(trx, ids);
    await trx.deleteFrom(table).where("id", "in", ids).execute();
    return ids;
  }
  return [];
}

/** The record of a test run that is gone goes. */
async function forgetTestRuns(trx: Trx, ids: string[]): Promise<void> {
  await trx.deleteFrom("test_run_keys").where("test_run_id", "in", ids).execute();
  for (const id of ids)
    await trx
      .insertInto("test_run_records_due")
      .values({ test_run_id: id })
      .onConflict((conflict) =>
        conflict.column("test_run_id").doUpdateSet({ changes: sql`test_run_records_due.changes + 1` }),
      )
      .execute();
}

/**
 * Removes the row of a deleted org with all that still refers to it. Its audit entries stay.
 * @throws where a trace or a run of it is left: a constraint keeps the row
 */
export async function eraseOrg(records: Records, id: string): Promise<void> {
  await records.transaction().execute(async (trx) => {
    const org = await trx.selectFrom("orgs").select("slug").where("id", "=", id).executeTakeFirst();
    if (!org) return;
    for (const table of ["scenarios", "idempotency_keys", "trace_counts", "storage_totals"] as const)
      await trx.deleteFrom(table).where("org_id", "=", id).execute();
    await trx.deleteFrom("orgs").where("id", "=", id).where("deleted_at", "is not", null).execute();
    await freeOwnersAddress(trx, org.slug);
  });
}

/** The owner that an org begins with has an address of its slug, which another org may have one day. */
async function freeOwnersAddress(trx: Trx, slug: string): Promise<void> {
  const email = `owner@${slug}.invalid`;
  const owner = await trx.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
  if (!owner) return;
  const elsewhere = await trx
    .selectFrom("memberships")
    .select("org_id")
    .where("user_id", "=", owner.id)
    .limit(1)
    .executeTakeFirst();
  if (elsewhere)
    await trx
      .updateTable("users")
      .set({ email: `${owner.id}@${slug}.invalid` })
      .where("id", "=", owner.id)
      .execute();
  else await trx.deleteFrom("users").where("id", "=", owner.id).execute();
}

/** Has a session stand for another org of its user; its hash, or null when the user does not belong to that org. */
export async function switchSession(
  trx: Trx,
  { id, userId, orgId }: { id: string; userId: string; orgId: string },
): Promise<string | null> {
  const switched = await trx
    .updateTable("sessions")
    .set({ org_id: orgId })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("memberships")
          .select("user_id")
          .where("org_id", "=", orgId)
          .where("user_id", "=", userId),
      ),
    )
    .returning("hash")
    .executeTakeFirst();
  return switched?.hash ?? null;
}
