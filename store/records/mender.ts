import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { MenderStage, MenderStatus } from "./mender-schema.ts";
import type { Database } from "./schema.ts";

export type MenderRow = Selectable<Database["mender_attempts"]>;
export type NewAttempt = Insertable<Database["mender_attempts"]>;

/** Spelled out and not bound, so that the planner sees that the partial index applies. */
const IS_OPEN = sql<boolean>`stage <> 'ended'`;
const IS_OLD = sql<boolean>`stage = 'ended' and status <> 'rejected'`;

/** False when there is one of that failure of that file, or of that promoted replay. */
export async function insertAttempt(db: Db, row: NewAttempt): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("mender_attempts")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Boolean(numInsertedOrUpdatedRows);
}

export async function findAttempt(db: Db, id: string): Promise<MenderRow | null> {
  return (await db.selectFrom("mender_attempts").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** The attempt that waits for the end of a replay. */
export async function attemptWaitingFor(db: Db, replayId: string): Promise<MenderRow | null> {
  const row = await db
    .selectFrom("mender_attempts")
    .selectAll()
    .where("replay_id", "=", replayId)
    .executeTakeFirst();
  return row ?? null;
}

/** The attempt that a replay was promoted to. */
export async function attemptOfPromoted(db: Db, replayId: string): Promise<MenderRow | null> {
  const row = await db
    .selectFrom("mender_attempts")
    .selectAll()
    .where("promoted_replay_id", "=", replayId)
    .executeTakeFirst();
  return row ?? null;
}

/** The attempt at a failure of a file that was made by itself; null when there is none. */
export async function attemptAt(
  db: Db,
  of: Pick<NewAttempt, "scenario_id" | "failure_signature" | "basis">,
): Promise<MenderRow | null> {
  const row = await db
    .selectFrom("mender_attempts")
    .selectAll()
    .where("scenario_id", "=", of.scenario_id)
    .where("failure_signature", "=", of.failure_signature)
    .where("basis", "=", of.basis)
    .where("promoted_replay_id", "is", null)
    .executeTakeFirst();
  return row ?? null;
}

/** The newest attempt at a failure of a file whose patch was verified, and that nobody rejected; null when there is none. */
export async function verifiedFix(
  db: Db,
  of: { scenarioId: string; failureSignature: string; basis: string },
): Promise<{ id: string; status: "verified" | "applied" } | null> {
  const row = await db
    .selectFrom("mender_attempts")
    .select(["id", "status"])
    .where("scenario_id", "=", of.scenarioId)
    .where("failure_signature", "=", of.failureSignature)
    .where("basis", "=", of.basis)
    .where("status", "in", ["verified", "applied"])
    .orderBy("id", "desc")
    .limit(1)
    .$narrowType<{ status: "verified" | "applied" }>()
    .executeTakeFirst();
  return row ?? null;
}

export interface AttemptFilters {
  orgId: string;
  status?: MenderStatus;
  scenarioId?: string;
  traceId?: string;
  /** Id of the last one of the page before. */
  after?: string;
  limit: number;
}

/** Newest first: ids are UUIDv7. */
export async function listAttempts(db: Db, filters: AttemptFilters): Promise<MenderRow[]> {
  let query = db.selectFrom("mender_attempts").selectAll().where("org_id", "=", filters.orgId);
  if (filters.status !== undefined) query = query.where("status", "=", filters.status);
  if (filters.scenarioId !== undefined) query = query.where("scenario_id", "=", filters.scenarioId);
  if (filters.traceId !== undefined) query = query.where("trace_id", "=", filters.traceId);
  if (filters.after !== undefined) query = query.where("id", "<", filters.after);
  return query.orderBy("id", "desc").limit(filters.limit).execute();
}

/** What an attempt has to be for a change of it; whoever comes second changes nothing. */
export interface AttemptIs {
  stage?: MenderStage;
  status?: readonly MenderStatus[];
  /** The replay that it waits for. */
  replayId?: string | null;
}

/** False when it is not so (any more). */
export async function changeAttempt(
  db: Db,
  id: string,
  is: AttemptIs,
  changes: Partial<Omit<MenderRow, "id" | "org_id" | "created_at">> & { updated_at: number },
): Promise<boolean> {
  let query = db.updateTable("mender_attempts").set(changes).where("id", "=", id);
  if (is.stage !== undefined) query = query.where("stage", "=", is.stage);
  if (is.status !== undefined) query = query.where("status", "in", is.status);
  if (is.replayId !== undefined)
    query =
      is.replayId === null
        ? query.where("replay_id", "is", null)
        : query.where("replay_id", "=", is.replayId);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Hashes of the patches of a scenario that somebody rejected, also while they were being applied. */
export async function rejectedPatches(db: Db, scenarioId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("mender_attempts")
    .select("patch_hash")
    .where("scenario_id", "=", scenarioId)
    .where(({ eb, or }) => or([eb("status", "=", "rejected"), eb("reject_reason", "is not", null)]))
    .where("patch_hash", "is not", null)
    .execute();
  return new Set(rows.map(({ patch_hash }) => patch_hash!));
}

/** Attempts that are not through and were not touched since a time, the longest first. */
export async function staleAttempts(db: Db, before: number, limit: number): Promise<MenderRow[]> {
  return db
    .selectFrom("mender_attempts")
    .selectAll()
    .where(IS_OPEN)
    .where("updated_at", "<", before)
    .orderBy("updated_at")
    .limit(limit)
    .execute();
}

/** Removes what ended before a time; how many. What was rejected is kept, so that it is not proposed again. */
export async function pruneAttempts(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom("mender_attempts")
    .select("id")
    .where(IS_OLD)
    .where("reject_reason", "is", null)
    .where("updated_at", "<", before)
    .orderBy("updated_at")
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("mender_attempts")
    .where("id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Whether a run of a check is followed by another attempt at the same fire. */
export async function hasLaterAttempt(
  db: Db,
  run: { check_id: string; region: string; scheduled_at: number; attempt: number },
): Promise<boolean> {
  const later = await db
    .selectFrom("runs")
    .select("id")
    .where("check_id", "=", run.check_id)
    .where("region", "=", run.region)
    .where("scheduled_at", "=", run.scheduled_at)
    .where("attempt", ">", run.attempt)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}
