import type { Db } from "./db.ts";

/** Notes what a chunk of a running trace was. */
export async function noteChunk(
  db: Db,
  chunk: { trace_id: string; n: number; sha256: string },
): Promise<void> {
  await db.insertInto("trace_chunks").values(chunk).execute();
}

/** SHA-256 hex of a chunk that was taken; null for one of before these were kept. */
export async function chunkHash(db: Db, traceId: string, n: number): Promise<string | null> {
  const row = await db
    .selectFrom("trace_chunks")
    .select("sha256")
    .where("trace_id", "=", traceId)
    .where("n", "=", n)
    .executeTakeFirst();
  return row?.sha256 ?? null;
}

/** Nobody asks for them once the capture has ended. */
export async function forgetChunks(db: Db, traceId: string): Promise<void> {
  await db.deleteFrom("trace_chunks").where("trace_id", "=", traceId).execute();
}
