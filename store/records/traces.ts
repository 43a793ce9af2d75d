import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Database } from "./schema.ts";

export type TraceRow = Omit<Selectable<Database["traces"]>, "facet" | "tags" | "more_tags">;

/** `ord` and `created_at` follow from the id; `aged_from` is `created_at` unless given. */
export type NewTrace = Omit<Insertable<Database["traces"]>, "ord" | "created_at" | "aged_from"> & {
  aged_from?: number;
};

/**
 * The first 60 bits of a UUIDv7: the list's order (milliseconds × 4096 + counter). Exact until the year 2039. A trace lies there
 * unless another server's had the place: `ordOf` says where it is.
 */
export function traceOrd(id: string): number {
  const hex = id.replaceAll("-", "");
  return Number.parseInt(hex.slice(0, 12), 16) * 4096 + Number.parseInt(hex.slice(13, 16), 16);
}

/** Where a moment (epoch ms) lies in the list's order. */
export const traceOrdAt = (ms: number): number => ms * 4096;

/** Epoch ms inside a UUIDv7: when the trace was made, never falling even when the clock goes back. */
export function traceCreatedAt(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

/** How many places are tried: as many as there are ids in two milliseconds. */
const TRIES = 8192;

/**
 * Inserts a trace at its place in the list's order, or behind those that other servers made in the same millisecond. It can
 * be found by its title at once, and by more once `setSearchText` was called.
 * @returns its place
 */
export async function insertTrace(db: Db, trace: NewTrace): Promise<number> {
  const first = traceOrd(trace.id);
  for (let ord = first; ord < first + TRIES; ord++) {
    // The tables hold it to the place.
    const created_at = Math.floor(ord / 4096);
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("traces")
      .values({ aged_from: created_at, ...trace, ord, created_at })
      .onConflict((conflict) => conflict.column("ord").doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows) return ord;
  }
  throw new Error(`${TRIES} traces lie where trace ${trace.id} belongs.`);
}

/** The place of a trace in the list's order; of one that is gone, the one that its id says. */
export async function ordOf(db: Db, id: string): Promise<number> {
  const row = await db.selectFrom("traces").select("ord").where("id", "=", id).executeTakeFirst();
  return row?.ord ?? traceOrd(id);
}

export async function findTrace(db: Db, id: string): Promise<TraceRow | null> {
  return (await db.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** The trace at a place of the list's order. */
export async function findTraceByOrd(db: Db, ord: number): Promise<TraceRow | null> {
  return (await db.selectFrom("traces").selectAll().where("ord", "=", ord).executeTakeFirst()) ?? null;
}

/** Whether there is a trace. */
export async function hasTrace(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom("traces").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** Spelled out and not bound, so that the planner sees that the partial index applies: it is asked every few seconds. */
export const runningTracesQuery = (db: Db) =>
  db.selectFrom("traces").select(["id", "last_chunk_at"]).where("status", "=", sql.lit("running"));

/** Traces that a capture writes to, and when it last did. */
export async function runningTraces(db: Db): Promise<{ id: string; last_chunk_at: number | null }[]> {
  return runningTracesQuery(db).execute();
}

export async function findTraceByShortId(db: Db, shortId: string): Promise<TraceRow | null> {
  return (
    (await db.selectFrom("traces").selectAll().where("short_id", "=", shortId).executeTakeFirst()) ?? null
  );
}

/** Changes columns of a trace; false when there is no such trace (any more). */
export async function updateTrace(
  db: Db,
  id: string,
  changes: Partial<Omit<TraceRow, "ord" | "id" | "org_id" | "created_at">>,
): Promise<boolean> {
  const result = await db.updateTable("traces").set(changes).where("id", "=", id).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Counts bytes that a trace has come to have. @returns what it has with them; null when there is no such trace */
export async function growTrace(db: Db, id: string, bytes: number): Promise<number | null> {
  const grown = await db
    .updateTable("traces")
    .set((row) => ({ total_size_bytes: row("total_size_bytes", "+", bytes) }))
    .where("id", "=", id)
    .returning("total_size_bytes")
    .executeTakeFirst();
  return grown?.total_size_bytes ?? null;
}

/** Has a trace that was given up wait for its processing again. */
export async function requeueTrace(db: Db, id: string): Promise<void> {
  await db
    .updateTable("traces")
    .set({ status: "queued", status_reason: null })
    .where("id", "=", id)
    .where("status", "=", "error")
    .execute();
}

/** Removes the trace with its references; artifacts' files and blobs are the caller's to remove. */
export async function removeTrace(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom("traces").where("id", "=", id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
