import { sql } from "kysely";
import type { Db } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";

/** Where the bytes of a hash lie. */
export interface BlobLocation {
  hash: string;
  /** '' is the loose file of the hash, else an archive of a trace, relative to the data folder. */
  container: string;
  /** Of the loose file's name; absent or '' for files of older versions and inside archives. */
  suffix?: string;
  offset: number;
  storedSize: number;
  size: number;
  /** 0 stored, 8 deflate. */
  method: 0 | 8;
}

/** The container of loose files. */
export const LOOSE = "";

const ROWS_PER_INSERT = 100;

/** A loose file of a hash. */
export interface LooseBlob {
  hash: string;
  size: number;
  suffix: string;
  /** The suffix of a file of the same hash that is missing or damaged. */
  replaces?: string | undefined;
}

/**
 * Makes hashes known as loose files. Where one is known already, and not damaged, that one stays; collected ones come back.
 * Off the collector's list first: it takes a blob off that list before it forgets it, so that one of the two comes later and
 * sees what the other did.
 */
export async function registerLooseBlobs(db: Db, blobs: readonly LooseBlob[], now: number): Promise<void> {
  await keepFromCollector(
    db,
    blobs.map(({ hash }) => hash),
  );
  for (const { hash, replaces } of blobs) if (replaces !== undefined) await forgetLoose(db, [hash], replaces);
  await registerLocations(
    db,
    blobs.map(({ hash, size, suffix }) => ({
      ...{ hash, container: LOOSE, suffix, offset: 0, storedSize: size, size, method: 0 },
    })),
    now,
  );
}

/** Takes hashes that are loose off the collector's list. @returns those that it was quicker to collect */
export async function keepLooseBlobs(db: Db, hashes: readonly string[]): Promise<string[]> {
  await keepFromCollector(db, hashes);
  const loose = await looseAmong(db, hashes);
  return hashes.filter((hash) => !loose.has(hash));
}

async function keepFromCollector(db: Db, hashes: readonly string[]): Promise<void> {
  for (const part of parts(hashes)) await db.deleteFrom("orphan_blobs").where("hash", "in", part).execute();
}

/** Forgets the loose files of hashes, or those of one suffix; their files wait in `leaving_blobs` for their removal. */
export async function forgetLoose(db: Db, hashes: readonly string[], suffix?: string): Promise<void> {
  for (const part of parts(hashes)) {
    const forgotten = await db
      .deleteFrom("blob_locations")
      .where("container", "=", LOOSE)
      .where("hash", "in", part)
      .$if(suffix !== undefined, (query) => query.where("suffix", "=", suffix ?? ""))
      .returning(["hash", "suffix"])
      .execute();
    if (forgotten.length > 0)
      await db
        .insertInto("leaving_blobs")
        .values(forgotten)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
}

/** The loose files of hashes. */
export async function looseAmong(db: Db, hashes: readonly string[]): Promise<Map<string, LooseBlob>> {
  const known = new Map<string, LooseBlob>();
  for (const part of parts(hashes)) {
    const rows = await db
      .selectFrom("blob_locations")
      .select(["hash", "suffix", "size"])
      .where("hash", "in", part)
      .where("container", "=", LOOSE)
      .execute();
    for (const row of rows) known.set(row.hash, row);
  }
  return known;
}

/** Makes places known where hashes lie; a place that is known already stays as it is. */
export async function registerLocations(
  db: Db,
  locations: readonly BlobLocation[],
  now: number,
): Promise<void> {
  const { given, textAt, numberAt } = engineOf(db).json;
  const rows = locations.map(({ hash, container, suffix = "", offset, storedSize, size, method }) => [
    ...[hash, container, suffix],
    ...[offset, storedSize, size, method, now],
  ]);
  await sql`
    INSERT INTO blob_locations (hash, container, suffix, "offset", stored_size, size, method, created_at)
    SELECT ${textAt(0)}, ${textAt(1)}, ${textAt(2)}, ${numberAt(3)}, ${numberAt(4)}, ${numberAt(5)}, ${numberAt(6)}, ${numberAt(7)}
    FROM ${given(JSON.stringify(rows))} WHERE TRUE
    ON CONFLICT (hash, container) DO NOTHING`.execute(db);
}

/** Notes that a trace names hashes, and as which media type (null: unknown); the last media type that is known wins. */
export async function referenceBlobs(
  db: Db,
  traceId: string,
  references: readonly { hash: string; mediaType: string | null }[],
): Promise<void> {
  const { given, textAt } = engineOf(db).json;
  const rows = references.map(({ hash, mediaType }) => [traceId, hash, mediaType]);
  await sql`
    INSERT INTO trace_blobs (trace_id, hash, media_type)
    SELECT ${textAt(0)}, ${textAt(1)}, ${textAt(2)} FROM ${given(JSON.stringify(rows))} WHERE TRUE
    ON CONFLICT (trace_id, hash) DO UPDATE SET media_type = COALESCE(excluded.media_type, trace_blobs.media_type)`.execute(
    db,
  );
}

/** Those of some hashes that a trace names already. */
export async function namedAmong(db: Db, traceId: string, hashes: readonly string[]): Promise<Set<string>> {
  const named = new Set<string>();
  for (const part of parts(hashes)) {
    const rows = await db
      .selectFrom("trace_blobs")
      .select("hash")
      .where("trace_id", "=", traceId)
      .where("hash", "in", part)
      .execute();
    for (const { hash } of rows) named.add(hash);
  }
  return named;
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
  const known = new Set<string>();
  for (const part of parts(hashes)) {
    const rows = await db.selectFrom("blob_locations").select("hash").where("hash", "in", part).execute();
    for (const row of rows) known.add(row.hash);
  }
  return hashes.filter((hash) => !known.has(hash));
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
  suffix: string;
  offset: number;
  stored_size: number;
  size: number;
  method: number;
}): BlobLocation {
  const { hash, container, suffix, offset, size } = row;
  const place = { hash, container, offset, storedSize: row.stored_size, size };
  return { ...place, ...(container === LOOSE && { suffix }), method: row.method === 8 ? 8 : 0 };
}

function* parts<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_INSERT) yield items.slice(at, at + ROWS_PER_INSERT);
}
