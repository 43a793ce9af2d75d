import { sql } from "kysely";
import { artifactsOf, putArtifact } from "./artifacts.ts";
import { type BlobLocation, LOOSE, referenceBlobs, registerLocations } from "./blobs.ts";
import { type CauseRow, findCauseOf, putCause } from "./causes.ts";
import type { Db, Trx } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { SearchWords } from "./search-text.ts";
import { locationsWithin } from "./trace-blobs.ts";
import { findTrace, insertTrace, type TraceRow } from "./traces.ts";

/** The trace's columns that its record keeps: what is not of the moment, and no share. */
export type RecordedTrace = Omit<
  TraceRow,
  "ord" | "org_id" | "scenario_id" | "share_visibility" | "share_expires_at" | "restoring" | "restore_error"
>;

export interface RecordedArtifact {
  kind: string;
  /** Relative to the data folder; of a cold pack, to the cold folder. */
  path: string;
  size: number;
  media_type: string;
  sha256: string;
  pack_offset: number | null;
  pack_stored_size: number | null;
  pack_method: number | null;
}

/** The words that the search finds a trace by. */
export type RecordedWords = SearchWords;

export interface RecordedOrg {
  id: string;
  slug: string;
  name: string;
  created_at: number;
}

export interface RecordedScenario {
  id: string;
  slug: string;
  title: string;
  created_at: number;
  updated_at: number;
}

/** Everything that the records say of one trace and that they can be made anew from (`record.json`). */
export interface TraceRecord {
  version: 1;
  org: RecordedOrg;
  scenario: RecordedScenario;
  trace: RecordedTrace;
  artifacts: RecordedArtifact[];
  /** Hashes that the trace names. */
  blobs: { hash: string; media_type: string | null }[];
  /** Where hashes lie inside the trace's own archives. */
  places: BlobLocation[];
  words: RecordedWords;
  /** Why it failed; null where nobody looked, absent in records of older versions. */
  cause?: Omit<CauseRow, "trace_id"> | null;
}

/** Traces whose record is behind, and how often they changed. */
export async function traceRecordsDue(
  db: Db,
  limit: number,
): Promise<{ trace_id: string; changes: number }[]> {
  return db.selectFrom("trace_records_due").selectAll().limit(limit).execute();
}

/** Takes traces off the list whose records were written, but for those that changed since they were read. */
export async function settleTraceRecords(
  db: Db,
  written: readonly { trace_id: string; changes: number }[],
): Promise<void> {
  for (const { trace_id, changes } of written)
    await db
      .deleteFrom("trace_records_due")
      .where("trace_id", "=", trace_id)
      .where("changes", "=", changes)
      .execute();
}

/** The record of a trace as it is now; null when there is no such trace. */
export async function readTraceRecord(db: Db, id: string): Promise<TraceRecord | null> {
  const row = await findTrace(db, id);
  if (!row) return null;
  const org = await db
    .selectFrom("orgs")
    .select(["id", "slug", "name", "created_at"])
    .where("id", "=", row.org_id)
    .executeTakeFirstOrThrow();
  const scenario = await db
    .selectFrom("scenarios")
    .select(["id", "slug", "title", "created_at", "updated_at"])
    .where("id", "=", row.scenario_id)
    .executeTakeFirstOrThrow();
  const blobs = await db
    .selectFrom("trace_blobs")
    .select(["hash", "media_type"])
    .where("trace_id", "=", id)
    .orderBy("hash")
    .execute();
  const words = await engineOf(db).fullText.read(db, row.ord);
  const cause = await findCauseOf(db, id);
  const artifacts = (await artifactsOf(db, id)).map(({ trace_id: _, ...artifact }) => artifact);
  return {
    version: 1,
    org,
    scenario,
    trace: recorded(row),
    artifacts,
    blobs,
    places: await locationsWithin(db, id),
    words: filled(words),
    cause: cause && recordedCause(cause),
  };
}

function recorded(row: TraceRow): RecordedTrace {
  const {
    ord: _ord,
    org_id: _org,
    scenario_id: _scenario,
    share_visibility: _visibility,
    share_expires_at: _expires,
    restoring: _restoring,
    restore_error: _error,
    ...kept
  } = row;
  return kept;
}

function recordedCause({ trace_id: _, ...kept }: CauseRow): Omit<CauseRow, "trace_id"> {
  return kept;
}

/** Columns of the full-text index that nothing was put into are null. */
function filled(words: Partial<Record<keyof RecordedWords, string | null>>): RecordedWords {
  const { title, failure, console, requests, assertions, thoughts, steps, kinds } = words;
  return {
    title: title ?? "",
    failure: failure ?? "",
    console: console ?? "",
    requests: requests ?? "",
    assertions: assertions ?? "",
    thoughts: thoughts ?? "",
    steps: steps ?? "",
    kinds: kinds ?? "",
  };
}

/**
 * Puts what a record says into the records, with its org and scenario where they are not there yet.
 * @param now epoch ms
 */
export async function insertTraceRecord(trx: Trx, record: TraceRecord, now: number): Promise<void> {
  const { trace, words } = record;
  const orgId = await orgOf(trx, record.org);
  const scenarioId = await scenarioOf(trx, orgId, record.scenario);
  const ord = await insertTrace(trx, {
    ...(await knownColumns(trx, trace)),
    org_id: orgId,
    scenario_id: scenarioId,
    share_visibility: null,
    share_expires_at: null,
    restore_error: null,
  });
  for (const artifact of record.artifacts) await putArtifact(trx, { trace_id: trace.id, ...artifact });
  await referenceBlobs(
    trx,
    trace.id,
    record.blobs.map(({ hash, media_type }) => ({ hash, mediaType: media_type })),
  );
  await registerLocations(trx, record.places, now);
  await engineOf(trx).fullText.put(trx, ord, words);
  if (record.cause) await putCause(trx, { trace_id: trace.id, ...record.cause });
}

/** A record that another version wrote may have columns that are not known here. */
async function knownColumns(
  trx: Trx,
  { created_at: _, ...columns }: RecordedTrace,
): Promise<Omit<RecordedTrace, "created_at">> {
  const known = await engineOf(trx).catalog.columnsOf(trx, "traces");
  return Object.fromEntries(Object.entries(columns).filter(([name]) => known.has(name))) as typeof columns;
}

/** A store that began anew has an org of the same name: its traces and those of before are one org's. */
export async function orgOf(trx: Trx, org: RecordedOrg): Promise<string> {
  const known = await trx
    .selectFrom("orgs")
    .select("id")
    .where((where) => where.or([where("id", "=", org.id), where("slug", "=", org.slug)]))
    .executeTakeFirst();
  if (known) return known.id;
  await trx.insertInto("orgs").values(org).execute();
  return org.id;
}

/** The scenario as the record that was written last has it. */
export async function scenarioOf(trx: Trx, orgId: string, scenario: RecordedScenario): Promise<string> {
  const known = await trx
    .selectFrom("scenarios")
    .select(["id", "updated_at"])
    .where("org_id", "=", orgId)
    .where("slug", "=", scenario.slug)
    .executeTakeFirst();
  if (!known) {
    await trx
      .insertInto("scenarios")
      .values({ ...scenario, org_id: orgId })
      .execute();
    return scenario.id;
  }
  if (scenario.updated_at > known.updated_at)
    await trx
      .updateTable("scenarios")
      .set({ title: scenario.title, updated_at: scenario.updated_at })
      .where("id", "=", known.id)
      .execute();
  return known.id;
}

/** Traces that name blobs whose bytes lie nowhere, and how many. */
export async function tracesLackingBlobs(db: Db): Promise<{ trace_id: string; count: number }[]> {
  const { rows } = await sql<{ trace_id: string; count: number }>`
    SELECT trace_id, count(*) AS count FROM trace_blobs b
    WHERE NOT EXISTS (SELECT 1 FROM blob_locations l WHERE l.hash = b.hash)
    GROUP BY trace_id ORDER BY trace_id`.execute(db);
  return rows;
}

/** Puts loose blobs that no trace names on the collector's list. */
export async function orphanUnnamedBlobs(db: Db, now: number): Promise<void> {
  await sql`
    INSERT INTO orphan_blobs (hash, since)
    SELECT l.hash, CAST(${now} AS BIGINT) FROM blob_locations l
    WHERE l.container = ${LOOSE} AND NOT EXISTS (SELECT 1 FROM trace_blobs b WHERE b.hash = l.hash)
    ON CONFLICT DO NOTHING`.execute(db);
}
