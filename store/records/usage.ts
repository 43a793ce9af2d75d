import { sql } from "kysely";
import type { Db } from "./db.ts";

/** What an org has used in a period. */
export interface Usage {
  runs: number;
  /** Of those that have ended. */
  runMs: number;
  ingests: number;
}

/**
 * Counts what an org's records tell of a period; `since` and `until` are epoch ms, the end not included. Ids of runs and
 * traces begin with their time, so both counts walk that part of an index.
 */
export async function usageOf(
  db: Db,
  { orgId, since, until }: { orgId: string; since: number; until: number },
): Promise<Usage> {
  const runs = await db
    .selectFrom("runs")
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      sql<number>`coalesce(sum(duration_ms), 0)`.as("duration"),
    ])
    .where("org_id", "=", orgId)
    .where("id", ">=", firstId(since))
    .where("id", "<", firstId(until))
    .executeTakeFirstOrThrow();
  const traces = await db
    .selectFrom("traces")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .where("ord", ">=", since * ORDS_PER_MS)
    .where("ord", "<", until * ORDS_PER_MS)
    // An upload may name a run of its own, of a CI.
    .where((where) =>
      where.or([
        where("run_id", "is", null),
        where.not(
          where.exists(
            where.selectFrom("runs").select("runs.id").whereRef("runs.trace_id", "=", "traces.id"),
          ),
        ),
      ]),
    )
    .where("parent_trace_id", "is", null)
    .executeTakeFirstOrThrow();
  return { runs: Number(runs.count), runMs: Number(runs.duration), ingests: Number(traces.count) };
}

/** Replays that an org has under way. */
export async function replaysUnderWayOf(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom("replays")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .where("status", "in", ["queued", "running"])
    .executeTakeFirstOrThrow();
  return Number(count);
}

const ORDS_PER_MS = 4096;

/** The smallest UUIDv7 of a millisecond. */
export function firstId(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-`;
}
