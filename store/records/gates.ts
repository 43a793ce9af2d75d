import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { GateStatus } from "./gate-schema.ts";
import type { Database } from "./schema.ts";
import { firstId } from "./usage.ts";

export type GateRow = Selectable<Database["gates"]>;
export type NewGate = Insertable<Database["gates"]>;
export type { GateStatus };

/** Statuses that something still follows. */
export const OPEN_GATE: readonly GateStatus[] = ["queued", "waiting", "running"];

/** Spelled out and not bound, so that the planner sees that the partial index applies. */
const IS_OPEN = sql<boolean>`status in ('queued', 'waiting', 'running')`;

/** Has whoever else decides what is judged of a repository wait until this transaction ends. */
export const gateAlone = (db: Db, of: { orgId: string; repository: string }) =>
  engineOf(db).alone(db, `gates of ${of.orgId} ${of.repository}`);

/** @returns false when the same attempt is there, or the pull request has an open gate */
export async function insertGate(db: Db, row: NewGate): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("gates")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export async function findGate(db: Db, id: string): Promise<GateRow | null> {
  return (await db.selectFrom("gates").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/**
 * Changes a gate that is still in one of these statuses; false when it is not (any more). What is told of it at the code host is
 * due anew.
 */
export async function changeGate(
  db: Db,
  id: string,
  from: readonly GateStatus[],
  changes: Partial<Omit<GateRow, "id" | "org_id" | "version">>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("gates")
    .set({ ...changes, version: sql<number>`version + 1` })
    .where("id", "=", id)
    .where("status", "in", from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Writes down what people made of a gate; false when that was done before, or it no longer counts. */
export async function decideGate(
  db: Db,
  id: string,
  { decision, by, at }: { decision: "approved" | "rejected"; by: string; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("gates")
    .set({ decision, decided_by: by, decided_at: at, version: sql<number>`version + 1` })
    .where("id", "=", id)
    .where("decision", "is", null)
    .where("status", "not in", ["superseded", "cancelled"])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Notes what the code host was told. What it was told last wins over what was told before it. */
export async function noteTold(
  db: Db,
  id: string,
  told: { version?: number; checkRunId?: number; tellAfter?: number | null },
): Promise<void> {
  await db
    .updateTable("gates")
    .set({
      ...(told.version !== undefined && { told_version: told.version }),
      ...(told.checkRunId !== undefined && { check_run_id: told.checkRunId }),
      ...(told.tellAfter !== undefined && { tell_after: told.tellAfter }),
    })
    .where("id", "=", id)
    .execute();
}

export interface GateFilters {
  orgId: string;
  repository?: string;
  pullRequestId?: string;
  number?: number;
  headSha?: string;
  status?: GateStatus;
  /** Id of the last gate of the page before. */
  after?: string;
  limit: number;
}

/** All but the files that came with a request, which may have megabytes. */
const LISTED = [
  ...[
    "id",
    "org_id",
    "kind",
    "repository",
    "pull_request_id",
    "pr_number",
    "head_sha",
    "head_ref",
    "base_sha",
    "head_at",
  ],
  ...["is_fork", "attempt", "trigger", "status", "reason", "base_url", "wait_until", "problems", "decision"],
  ...["decided_by", "decided_at", "version", "told_version", "tell_after", "check_run_id", "created_at"],
  ...["started_at", "ended_at"],
] as const satisfies (keyof GateRow)[];
/** A gate without the files that came with its request. */
export type ListedGate = Pick<GateRow, (typeof LISTED)[number]>;

/** Newest first. Ids are UUIDv7, so their order is that of their making. */
export async function listGates(db: Db, filters: GateFilters): Promise<ListedGate[]> {
  let query = db.selectFrom("gates").select(LISTED).where("org_id", "=", filters.orgId);
  if (filters.repository !== undefined) query = query.where("repository", "=", filters.repository);
  if (filters.pullRequestId !== undefined) query = query.where("pull_request_id", "=", filters.pullRequestId);
  if (filters.number !== undefined) query = query.where("pr_number", "=", filters.number);
  if (filters.headSha !== undefined) query = query.where("head_sha", "=", filters.headSha);
  if (filters.status !== undefined) query = query.where("status", "=", filters.status);
  if (filters.after !== undefined) query = query.where("id", "<", filters.after);
  return query.orderBy("id", "desc").limit(filters.limit).execute();
}

/** Gates of a commit that are open, oldest first. */
export async function openGatesOfCommit(
  db: Db,
  { orgId, repository, sha }: { orgId: string; repository: string; sha: string },
): Promise<GateRow[]> {
  return db
    .selectFrom("gates")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("head_sha", "=", sha)
    .where("repository", "=", repository)
    .where(IS_OPEN)
    .orderBy("id")
    .execute();
}

/** The open gate of a pull request. */
export async function openGateOf(db: Db, pullRequestId: string): Promise<GateRow | null> {
  const row = await db
    .selectFrom("gates")
    .selectAll()
    .where("pull_request_id", "=", pullRequestId)
    .where(IS_OPEN)
    .executeTakeFirst();
  return row ?? null;
}

/** Gates that the code host is to be told of and nobody tells of, oldest first; those made and decided before `since` are given up. */
export async function untoldGates(
  db: Db,
  { since, now, limit }: { since: number; now: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("gates")
    .select("id")
    .where(sql<boolean>`told_version < version`)
    .where((is) => is.or([is("id", ">=", firstId(since)), is("decided_at", ">=", since)]))
    .where((is) => is.or([is("tell_after", "is", null), is("tell_after", "<=", now)]))
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes gates that ended before a time, the oldest first; how many. Those of a pull request that is open stay as its newest. */
export async function pruneGates(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom("gates")
    .select("gates.id")
    .where("gates.id", "<", firstId(before))
    .where("gates.ended_at", "<", before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("pull_requests")
            .select("pull_requests.id")
            .whereRef("pull_requests.id", "=", "gates.pull_request_id")
            .whereRef("pull_requests.gate_id", "=", "gates.id")
            .where("pull_requests.state", "=", "open")
            // Of one that only CI told of nobody says that it was closed.
            .where("pull_requests.host_updated_at", ">", 0),
        ),
      ),
    )
    .orderBy("gates.id")
    .limit(limit);
  const result = await db.deleteFrom("gates").where("id", "in", old).executeTakeFirst();
  return Number(result.numDeletedRows);
}
