import type { Insertable, Selectable } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type PullRequestRow = Selectable<Database["pull_requests"]>;
export type KnownPullRequest = Insertable<Database["pull_requests"]>;

/**
 * Notes a pull request as it was told of; the newest gate stays. What the host says changed before what is known is old news, and
 * changes nothing.
 * @returns the row as it is now, and whether the news was taken
 */
export async function putPullRequest(
  db: Db,
  { id, gate_id: _, ...row }: Omit<KnownPullRequest, "gate_id"> & { gate_id?: null },
): Promise<{ row: PullRequestRow; isNews: boolean }> {
  const { org_id, repository, number, ...changes } = row;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("pull_requests")
    .values({ id, gate_id: null, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(["org_id", "repository", "number"])
        .doUpdateSet(changes)
        .where("pull_requests.host_updated_at", "<=", row.host_updated_at),
    )
    .executeTakeFirstOrThrow();
  const known = await findPullRequestByNumber(db, { orgId: org_id, repository, number });
  return { row: known!, isNews: Boolean(numInsertedOrUpdatedRows) };
}

export async function findPullRequest(db: Db, id: string): Promise<PullRequestRow | null> {
  return (await db.selectFrom("pull_requests").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

export async function findPullRequestByNumber(
  db: Db,
  { orgId, repository, number }: { orgId: string; repository: string; number: number },
): Promise<PullRequestRow | null> {
  const row = await db
    .selectFrom("pull_requests")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("repository", "=", repository)
    .where("number", "=", number)
    .executeTakeFirst();
  return row ?? null;
}

/** Names a pull request's newest gate, and that something was heard of it. */
export async function pointToGate(
  db: Db,
  id: string,
  { gateId, now }: { gateId: string; now: number },
): Promise<void> {
  await db
    .updateTable("pull_requests")
    .set({ gate_id: gateId, changed_at: now })
    .where("id", "=", id)
    .execute();
}

/** Pull requests of an org, those that were heard of last first. */
export async function listPullRequests(
  db: Db,
  filters: {
    orgId: string;
    state?: "open" | "closed";
    repository?: string;
    number?: number;
    /** Time and id of the last one of the page before. */
    after?: { at: number; id: string };
    limit: number;
  },
): Promise<PullRequestRow[]> {
  const { orgId, state, repository, number, after, limit } = filters;
  let query = db.selectFrom("pull_requests").selectAll().where("org_id", "=", orgId);
  if (state !== undefined) query = query.where("state", "=", state);
  if (repository !== undefined) query = query.where("repository", "=", repository);
  if (number !== undefined) query = query.where("number", "=", number);
  if (after)
    query = query.where((is) =>
      is.or([
        is("changed_at", "<", after.at),
        is.and([is("changed_at", "=", after.at), is("id", "<", after.id)]),
      ]),
    );
  return query.orderBy("changed_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** Removes pull requests that are closed and of which nothing was heard since a time, with their gates; how many. */
export async function prunePullRequests(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom("pull_requests")
    .select("id")
    // Of one that only CI told of nobody says that it was closed.
    .where((is) => is.or([is("state", "=", "closed"), is("host_updated_at", "=", 0)]))
    .where("changed_at", "<", before)
    .orderBy("id")
    .limit(limit);
  const result = await db.deleteFrom("pull_requests").where("id", "in", old).executeTakeFirst();
  return Number(result.numDeletedRows);
}
