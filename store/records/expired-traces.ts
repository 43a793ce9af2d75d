import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import { runsOfUnresolved } from "./incidents.ts";

/** How many passes of a scenario stay whatever their age: what a failure is compared with. */
const PASSES_KEPT = 3;

/** As the partial index has it, word for word, or SQLite would not use it. */
const LEAVES =
  "t.by_clock = 1 AND (t.pinned = 0 OR t.auto_pinned = 1) AND t.status NOT IN ('queued', 'running')";

/** A trace that goes. */
export interface ExpiredTrace {
  ord: number;
  id: string;
  org_id: string;
  status: string;
  tier: "hot" | "warm" | "cold";
  aged_from: number;
  total_size_bytes: number;
}

/** Where a walk through what goes has come to. */
export type ExpiryPlace = Pick<ExpiredTrace, "aged_from" | "ord">;

export interface ExpiryWanted {
  /** Epoch ms: those whose age counts from before. */
  before: number;
  now: number;
  /** The last one that was looked at; null at the beginning. */
  after: ExpiryPlace | null;
  /** Those that lie in the cold folder alone. */
  isCold?: boolean;
  limit: number;
}

/**
 * Traces that runs by the clock made and that are old enough to go, the oldest first. What is still needed is left out: what a person
 * pinned, what an incident names or is told from, the pass that such a failure was compared with, the last passes of each
 * scenario, what is shared at `now`, and what comes back from the cold folder.
 */
export async function expiredTraces(db: Db, wanted: ExpiryWanted): Promise<ExpiredTrace[]> {
  const { before, after, limit } = wanted;
  const place = after ?? { aged_from: -1, ord: -1 };
  const { rows } = await sql<ExpiredTrace>`
    SELECT t.ord, t.id, t.org_id, t.status, t.tier, t.aged_from, t.total_size_bytes
    FROM ${through(db, "traces t", "traces_leaving")}
    WHERE ${sql.raw(LEAVES)} AND (t.aged_from, t.ord) > (${place.aged_from}, ${place.ord}) AND t.aged_from < ${before}
      ${sql.raw(wanted.isCold ? "AND t.tier = 'cold'" : "")} AND ${isFree(db, wanted.now)}
    ORDER BY t.aged_from, t.ord LIMIT ${limit}`.execute(db);
  return rows;
}

/**
 * Of these traces, those that nothing holds at `now`, with the time from which their age counts: somebody may have pinned, shared or
 * restored one meanwhile, or an incident taken it up.
 */
export async function stillExpired(
  db: Db,
  ids: readonly string[],
  now: number,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; aged_from: number }>`
    SELECT t.id, t.aged_from FROM traces t
    WHERE t.id IN (${sql.join(ids)}) AND ${sql.raw(LEAVES)} AND ${isFree(db, now)}`.execute(db);
  return new Map(rows.map(({ id, aged_from }) => [id, aged_from]));
}

/** Whether nothing holds the trace `t`. */
function isFree(db: Db, now: number): RawBuilder<boolean> {
  return sql<boolean>`t.restoring = 0
    AND (t.share_expires_at IS NULL OR t.share_expires_at <= ${now})
    AND NOT EXISTS (SELECT 1 FROM incidents i WHERE i.trace_id = t.id)
    AND NOT EXISTS (SELECT 1 FROM causes c JOIN incidents i ON i.trace_id = c.trace_id WHERE c.baseline_id = t.id)
    AND (t.run_id IS NULL OR t.run_id NOT IN ${runsOfUnresolved(db)})
    AND (t.status <> 'passed' OR t.parent_trace_id IS NOT NULL OR ${sql.lit(PASSES_KEPT)} <= (
      SELECT count(*) FROM (
        SELECT 1 AS one FROM ${through(db, "traces n", "traces_verdicts")}
        WHERE n.org_id = t.org_id AND n.scenario_id = t.scenario_id AND n.ord > t.ord
          AND n.status IN ('passed', 'failed') AND n.parent_trace_id IS NULL AND n.status = 'passed'
        LIMIT ${sql.lit(PASSES_KEPT)}) AS newer))`;
}

const through = (db: Db, table: string, index: string) => sql.raw(engineOf(db).hints.through(table, index));

/** Bytes in the cold folder of what goes by its age. */
export async function coldBytesLeaving(db: Db): Promise<number> {
  const row = await db
    .selectFrom("ageing_totals")
    .select((is) => is.fn.sum<number | null>("bytes").as("bytes"))
    .where("kind", "=", "cold")
    .executeTakeFirstOrThrow();
  return Number(row.bytes ?? 0);
}
