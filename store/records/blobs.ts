import type { Db } from "./db.ts";

/** Where the bytes of a hash lie. */
export interface BlobLocation {
  hash: string;
  /** '' is the loose file of the hash, else an archive of a trace, relative to the data folder. */
  container: string;
  offset: number;
  storedSize: number;
  size: number;
  /** 0 stored, 8 deflate. */
  method: 0 | 8;
}

/** The container of loose files. */
export const LOOSE = "";

const ROWS_PER_INSERT = 100;

/** Makes hashes known as loose files. Ones that are known stay as they are; collected ones come back. */
export async function registerLooseBlobs(
  db: Db,
  blobs: readonly { hash: string; size: number }[],
  now: number,
): Promise<void> {
  await registerLocations(
    db,
    blobs.map(({ hash, size }) => ({ hash, container: LOOSE, offset: 0, storedSize: size, size, method: 0 })),
    now,
  );
  for (const part of parts(blobs)) {
    await db
      .deleteFrom("orphan_blobs")
      .where(
        "hash",
        "in",
        part.map((blob) => blob.hash),
      )
      .execute();
  }
}

/** Makes places known where hashes lie; a place that is known already stays as it is. */
export async function registerLocations(
  db: Db,
  locations: readonly BlobLocation[],
  now: number,
): Promise<void> {
  for (const part of parts(locations)) {
    await db
      .insertInto("blob_locations")
      .values(
        part.map(({ hash, container, offset, storedSize, size, method }) => ({
          hash,
          container,
          offset,
          stored_size: storedSize,
          size,
          method,
          created_at: now,
        })),
      )
      .onConflict((conflict) => conflict.columns(["hash", "container"]).doNothing())
      .execute();
  }
}

/** Notes that a trace names hashes, and as which media type (null: unknown); the last media type that is known wins. */
export async function referenceBlobs(
  db: Db,
  traceId: string,
  references: readonly { hash: string; mediaType: string | null }[],
): Promise<void> {
  for (const part of parts(references)) {
    await db
      .insertInto("trace_blobs")
      .values(part.map(({ hash, mediaType }) => ({ trace_id: traceId, hash, media_type: mediaType })))
      .onConflict((conflict) =>
        conflict.columns(["trace_id", "hash"]).doUpdateSet((set) => ({
          media_type: set.fn.coalesce("excluded.media_type", "trace_blobs.media_type"),
        })),
      )
      .execute();
  }
}

/** One place of a hash, the loose file first; null when its bytes are nowhere. */
export async function findBlobLocation(db: Db, hash: string): Promise<BlobLocation | null> {
  const row = await db
    .selectFrom("blob_locations")
    .selectAll()
    .where("hash", "=", hash)
    .orderBy("container")
    .limit(1)
    .executeTakeFirst();
  return row ? toLocation(row) : null;
}

/**
 * A hash as a trace names it, with a place of its bytes: one in the trace's own archives before others, so that what
 * belongs together is read together. Null when the trace does not name the hash or no bytes are there.
 */
export async function findTraceBlob(
  db: Db,
  traceId: string,
  hash: string,
): Promise<(BlobLocation & { mediaType: string | null }) | null> {
  const rows = await db
    .selectFrom("trace_blobs")
    .innerJoin("blob_locations", "blob_locations.hash", "trace_blobs.hash")
    .selectAll("blob_locations")
    .select("trace_blobs.media_type")
    .where("trace_blobs.trace_id", "=", traceId)
    .where("trace_blobs.hash", "=", hash)
    .orderBy("blob_locations.container")
    .execute();
  const own = rows.find((row) => row.container.startsWith(`traces/${traceId}/`)) ?? rows[0];
  return own ? { ...toLocation(own), mediaType: own.media_type } : null;
}

/** Ids of the traces that name a hash. */
export async function tracesReferring(db: Db, hash: string): Promise<string[]> {
  const rows = await db.selectFrom("trace_blobs").select("trace_id").where("hash", "=", hash).execute();
  return rows.map((row) => row.trace_id);
}

/** Those of the hashes whose bytes lie nowhere. */
export async function missingBlobs(db: Db, hashes: readonly string[]): Promise<string[]> {
  const known = await knownAmong(db, hashes, null);
  return hashes.filter((hash) => !known.has(hash));
}

/** Those of the hashes that have no loose file on record. */
export async function unregisteredLooseBlobs(db: Db, hashes: readonly string[]): Promise<string[]> {
  const known = await knownAmong(db, hashes, LOOSE);
  return hashes.filter((hash) => !known.has(hash));
}

async function knownAmong(db: Db, hashes: readonly string[], container: string | null): Promise<Set<string>> {
  const known = new Set<string>();
  for (const part of parts(hashes)) {
    const rows = await db
      .selectFrom("blob_locations")
      .select("hash")
      .where("hash", "in", part)
      .$if(container !== null, (query) => query.where("container", "=", container ?? LOOSE))
      .execute();
    for (const row of rows) known.add(row.hash);
  }
  return known;
}

/** Every place of every hash. */
export async function allLocations(db: Db): Promise<BlobLocation[]> {
  return (await db.selectFrom("blob_locations").selectAll().execute()).map(toLocation);
}

/** Bytes of all blobs, unpacked, at every place. */
export async function bytesOfBlobs(db: Db): Promise<number> {
  const row = await db
    .selectFrom("blob_locations")
    .select((select) => select.fn.sum<number | null>("size").as("bytes"))
    .executeTakeFirstOrThrow();
  return row.bytes ?? 0;
}

function toLocation(row: {
  hash: string;
  container: string;
  offset: number;
  stored_size: number;
  size: number;
  method: number;
}): BlobLocation {
  const { hash, container, offset, size } = row;
  return { hash, container, offset, storedSize: row.stored_size, size, method: row.method === 8 ? 8 : 0 };
}

function* parts<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_INSERT) yield items.slice(at, at + ROWS_PER_INSERT);
}
