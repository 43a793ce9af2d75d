import type { Db } from "./db.ts";

/** Ids of unpinned, finished traces of a tier whose age counts from before `before` (epoch ms), oldest first. */
export async function tracesToMove(
  db: Db,
  tier: "hot" | "warm",
  before: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("traces")
    .select("id")
    .where("tier", "=", tier)
    .where("pinned", "=", 0)
    .where("aged_from", "<", before)
    .where("status", "not in", ["queued", "running"])
    .where("restoring", "=", 0)
    .orderBy("aged_from")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Bytes of all traces that are not cold, and the oldest of those that may move. */
export async function unpinnedOldest(
  db: Db,
  limit: number,
): Promise<{ bytes: number; oldest: { id: string; tier: "hot" | "warm"; size: number }[] }> {
  const total = await db
    .selectFrom("storage_totals")
    .select((select) => select.fn.sum<number | null>("bytes").as("bytes"))
    .where("kind", "=", "tier")
    .where("value", "not in", ["cold", "cold pinned"])
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom("traces")
    .select(["id", "tier", "total_size_bytes"])
    .where("tier", "in", ["hot", "warm"])
    .where("pinned", "=", 0)
    .where("status", "not in", ["queued", "running"])
    .where("restoring", "=", 0)
    .orderBy("aged_from")
    .limit(limit)
    .execute();
  return {
    bytes: Number(total.bytes ?? 0),
    oldest: rows.map((row) => ({
      id: row.id,
      tier: row.tier === "hot" ? "hot" : "warm",
      size: row.total_size_bytes,
    })),
  };
}
