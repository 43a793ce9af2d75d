import { sql } from "kysely";
import { type BlobLocation, LOOSE } from "./blobs.ts";
import type { Db } from "./db.ts";

/** A blob that a trace names, with every place of its bytes. */
export interface NamedBlob {
  hash: string;
  mediaType: string | null;
  places: Omit<BlobLocation, "hash">[];
}

/** All blobs that a trace names, by hash; those without a place have lost their bytes or never had any. */
export async function blobsOf(db: Db, traceId: string): Promise<NamedBlob[]> {
  const rows = await db
    .selectFrom("trace_blobs")
    .leftJoin("blob_locations", "blob_locations.hash", "trace_blobs.hash")
    .select([
      "trace_blobs.hash",
      "trace_blobs.media_type",
      "container",
      "suffix",
      "offset",
      "stored_size",
      "size",
      "method",
    ])
    .where("trace_blobs.trace_id", "=", traceId)
    .orderBy("trace_blobs.hash")
    .orderBy("blob_locations.container")
    .execute();
  const blobs: NamedBlob[] = [];
  for (const row of rows) {
    if (blobs.at(-1)?.hash !== row.hash)
      blobs.push({ hash: row.hash, mediaType: row.media_type, places: [] });
    if (row.container === null) continue;
    blobs.at(-1)!.places.push({
      container: row.container,
      ...(row.container === LOOSE && { suffix: row.suffix! }),
      offset: row.offset!,
      storedSize: row.stored_size!,
      size: row.size!,
      method: row.method === 8 ? 8 : 0,
    });
  }
  return blobs;
}

/** Ends of the range of containers that lie in a trace's folder. */
const within = (traceId: string) => [`${FOLDER}${traceId}/`, `${FOLDER}${traceId}0`] as const;

const FOLDER = "traces/";
/** Of a UUID. */
const ID_LENGTH = 36;

/** Every place inside a trace's own archives. */
export async function locationsWithin(db: Db, traceId: string): Promise<BlobLocation[]> {
  const [first, end] = within(traceId);
  const rows = await db
    .selectFrom("blob_locations")
    .selectAll()
    .where("container", ">=", first)
    .where("container", "<", end)
    .orderBy("container")
    .orderBy("hash")
    .execute();
  return rows.map(({ hash, container, offset, stored_size, size, method }) => ({
    hash,
    container,
    offset,
    storedSize: stored_size,
    size,
    method: method === 8 ? 8 : 0,
  }));
}

/** Those hashes inside the own archives of traces that a trace which is none of them names and that lie nowhere else. */
export async function neededByOthers(db: Db, traceIds: readonly string[]): Promise<string[]> {
  const ids = sql.join(traceIds);
  const needed = new Set<string>();
  for (const traceId of traceIds) {
    const [first, end] = within(traceId);
    const { rows } = await sql<{ hash: string }>`
      SELECT DISTINCT l.hash FROM blob_locations l
      WHERE l.container >= ${first} AND l.container < ${end}
        AND EXISTS (SELECT 1 FROM trace_blobs b WHERE b.hash = l.hash AND b.trace_id NOT IN (${ids}))
        AND NOT EXISTS (
          SELECT 1 FROM blob_locations o
          WHERE o.hash = l.hash AND substr(o.container, ${FOLDER.length + 1}, ${ID_LENGTH}) NOT IN (${ids})
        )`.execute(db);
    for (const { hash } of rows) needed.add(hash);
  }
  return [...needed];
}

/** Forgets every place inside a trace's own archives. */
export async function forgetContainers(db: Db, traceId: string): Promise<void> {
  const [first, end] = within(traceId);
  await db
    .deleteFrom("blob_locations")
    .where("container", ">=", first)
    .where("container", "<", end)
    .execute();
}

/** Puts the loose blobs that only this trace names on the collector's list. Call it before the references go. */
export async function orphanBlobsOf(
  db: Db,
  traceId: string,
  options: { now: number; keep?: string | null },
): Promise<void> {
  await sql`
    INSERT INTO orphan_blobs (hash, since)
    SELECT b.hash, CAST(${options.now} AS BIGINT) FROM trace_blobs b
    JOIN blob_locations l ON l.hash = b.hash AND l.container = ${LOOSE}
    WHERE b.trace_id = ${traceId} AND b.hash <> ${options.keep ?? ""}
      AND NOT EXISTS (SELECT 1 FROM trace_blobs o WHERE o.hash = b.hash AND o.trace_id <> ${traceId})
    ON CONFLICT DO NOTHING`.execute(db);
}

/** Of these hashes, those that a hot trace (other than `besides`) names. */
export async function neededByHot(
  db: Db,
  hashes: readonly string[],
  besides: string | null,
): Promise<Set<string>> {
  const needed = new Set<string>();
  for (let at = 0; at < hashes.length; at += 500) {
    const rows = await db
      .selectFrom("trace_blobs")
      .innerJoin("traces", "traces.id", "trace_blobs.trace_id")
      .select("trace_blobs.hash")
      .distinct()
      .where("trace_blobs.hash", "in", hashes.slice(at, at + 500))
      .where("traces.tier", "=", "hot")
      .where("traces.id", "<>", besides ?? "")
      .execute();
    for (const { hash } of rows) needed.add(hash);
  }
  return needed;
}

/** Drops what a trace names, but for one hash. */
export async function forgetReferences(db: Db, traceId: string, keep: string | null): Promise<void> {
  await db
    .deleteFrom("trace_blobs")
    .where("trace_id", "=", traceId)
    .where("hash", "<>", keep ?? "")
    .execute();
}

/** Loose blobs that lost their last reference before `before` (epoch ms), oldest first. */
export async function orphansSince(db: Db, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("orphan_blobs")
    .select("hash")
    .where("since", "<=", before)
    .orderBy("since")
    .limit(limit)
    .execute();
  return rows.map(({ hash }) => hash);
}

/** Of these hashes, those that any trace names. */
export async function namedAmong(db: Db, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom("trace_blobs")
    .select("hash")
    .distinct()
    .where("hash", "in", [...hashes])
    .execute();
  return new Set(rows.map(({ hash }) => hash));
}

/** Takes hashes off the collector's list. @returns those that were on it */
export async function takeOrphans(db: Db, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await db
    .deleteFrom("orphan_blobs")
    .where("hash", "in", [...hashes])
    .returning("hash")
    .execute();
  return rows.map(({ hash }) => hash);
}

/** Files of loose blobs that are still to be removed. */
export async function leavingBlobs(db: Db, limit: number): Promise<{ hash: string; suffix: string }[]> {
  return db.selectFrom("leaving_blobs").selectAll().limit(limit).execute();
}

/** Notes that files of loose blobs are gone. */
export async function forgetLeaving(
  db: Db,
  gone: readonly { hash: string; suffix: string }[],
): Promise<void> {
  for (const { hash, suffix } of gone)
    await db.deleteFrom("leaving_blobs").where("hash", "=", hash).where("suffix", "=", suffix).execute();
}
