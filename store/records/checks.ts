import { type Selectable, sql } from "kysely";
import { noteRest } from "./check-rests.ts";
import type { CheckTables } from "./check-schema.ts";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import type { RunRow } from "./runs.ts";
import type { Database } from "./schema.ts";

export type CheckRow = Selectable<Database["scheduled_checks"]>;
/** What may change of a check once it is there. */
export type CheckChanges = Partial<Omit<CheckRow, "id" | "org_id" | "scenario_id" | "origin" | "created_at">>;

/** The action of the audit entry that says that a scenario's target was seen to take synthetic users for what they are. */
export const PREFLIGHT = "synthetic.preflight";

/** Of one org. */
export const MAX_CHECKS = 10_000;

/** @returns false when it would be one more than `most` of its org */
export async function insertCheck(db: Db, row: CheckRow, most: number): Promise<boolean> {
  const isIn = await insertLimited(db, "scheduled_checks", row, {
    most,
    onConflict: sql`on conflict do nothing`,
  });
  if (isIn && row.enabled === 0) await noteRest(db, { checkId: row.id, at: row.created_at, until: null });
  return isIn;
}

export async function findCheck(db: Db, id: string): Promise<CheckRow | null> {
  const row = await db.selectFrom("scheduled_checks").selectAll().where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

/** The check that the `schedule` of a scenario's file made. */
export async function findCheckOfFile(db: Db, scenarioId: string): Promise<CheckRow | null> {
  const row = await db
    .selectFrom("scheduled_checks")
    .selectAll()
    .where("scenario_id", "=", scenarioId)
    .where("origin", "=", "file")
    .executeTakeFirst();
  return row ?? null;
}

/** Newest first. @param filters.after id of the last check of the page before */
export async function listChecks(
  db: Db,
  filters: {
    orgId: string;
    scenarioId?: string;
    isEnabled?: boolean;
    /** The id of a channel that the alert policy names. */
    channelId?: string;
    after?: string;
    limit: number;
  },
): Promise<CheckRow[]> {
  let query = db.selectFrom("scheduled_checks").selectAll().where("org_id", "=", filters.orgId);
  if (filters.scenarioId !== undefined) query = query.where("scenario_id", "=", filters.scenarioId);
  if (filters.isEnabled !== undefined) query = query.where("enabled", "=", filters.isEnabled ? 1 : 0);
  if (filters.channelId !== undefined)
    query = query.where("alert_policy", "like", `%"${filters.channelId}"%`);
  if (filters.after !== undefined) query = query.where("id", "<", filters.after);
  return query.orderBy("id", "desc").limit(filters.limit).execute();
}

/**
 * Changes a check, and writes down since when it rests where it is paused or switched off (`check-rests.ts`); within a transaction.
 * False when there is no such check (any more).
 */
export async function changeCheck(db: Db, id: string, changes: CheckChanges): Promise<boolean> {
  const row = await db
    .updateTable("scheduled_checks")
    .set(changes)
    .where("id", "=", id)
    .returning(["enabled", "paused_until", "updated_at"])
    .executeTakeFirst();
  if (!row) return false;
  if (changes.enabled === undefined && changes.paused_until === undefined) return true;
  const at = row.updated_at;
  const isPaused = row.paused_until !== null && row.paused_until > at;
  const until = row.enabled === 0 ? null : isPaused ? row.paused_until : undefined;
  await noteRest(db, { checkId: id, at, until });
  return true;
}

/** Its runs stay. @returns whether there was one */
export async function removeCheck(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("scheduled_checks")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Whether a preflight of a scenario was recorded. */
export async function hasPreflight(db: Db, orgId: string, scenarioId: string): Promise<boolean> {
  const row = await db
    .selectFrom("audit_events")
    .select("seq")
    .where("org_id", "=", orgId)
    .where("target", "=", scenarioId)
    // Spelled out and not bound, so that the planner sees that the partial index applies.
    .where(sql<boolean>`action = ${sql.lit(PREFLIGHT)}`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type SkippedTicks = Selectable<CheckTables["skipped_ticks"]>;

/** Fires of checks that had no run and were not over by `from` (epoch ms), in their order. */
export async function skippedTicksOf(
  db: Db,
  checkIds: readonly string[],
  from: number,
): Promise<SkippedTicks[]> {
  if (checkIds.length === 0) return [];
  return db
    .selectFrom("skipped_ticks")
    .selectAll()
    .where("check_id", "in", checkIds)
    .where("last_at", ">=", from)
    .orderBy("first_at")
    .orderBy("check_id")
    .orderBy("region")
    .execute();
}

/** The newest runs of a check in a region, the newest fire first, and of one fire the last attempt. */
export async function runsOfCheck(
  db: Db,
  of: { checkId: string; region: string },
  limit: number,
): Promise<Pick<RunRow, "id" | "status" | "scheduled_at" | "duration_ms" | "trace_id" | "attempt">[]> {
  return db
    .selectFrom("runs")
    .select(["id", "status", "scheduled_at", "duration_ms", "trace_id", "attempt"])
    .where("check_id", "=", of.checkId)
    .where("region", "=", of.region)
    .orderBy("scheduled_at", "desc")
    .orderBy("attempt", "desc")
    .limit(limit)
    .execute();
}
