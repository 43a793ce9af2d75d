import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { fsyncFile, fsyncFolder } from "../../../store/blobs/sync.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { type Layout, layout } from "../../../store/layout.ts";
import { registerLooseBlobs } from "../../../store/records/blobs.ts";
import type { Records } from "../../../store/records/db.ts";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";
import { openSqlite } from "../../../store/records/engine/sqlite/open.ts";
import { insertJob } from "../../../store/records/jobs.ts";
import {
  insertTraceRecord,
  orphanUnnamedBlobs,
  type RecordedArtifact,
  type TraceRecord,
  tracesLackingBlobs,
} from "../../../store/records/trace-record.ts";
import { setAside } from "../../../store/set-aside.ts";
import type { Ids } from "../../platform/ids.ts";
import { PROCESS } from "../kinds.ts";
import { filesIn, olderRecord } from "./older.ts";
import { isWhole, packContents } from "./packed.ts";
import { readRecord } from "./read.ts";
import { placesInArchive, wordsIn } from "./recover.ts";

export interface Rebuilt {
  traces: { hot: number; warm: number; cold: number };
  /** Sentences about what did not come back, by trace. */
  lost: { traceId: string; what: string }[];
}

export interface RebuildOptions {
  dataDir: string;
  coldDir: string;
  ids: Ids;
  /** Epoch ms. */
  now: number;
  /** The org of traces that no record says the org of. */
  org: TraceRecord["org"];
  /** Puts into the new records who may come in. */
  admit(records: Records): Promise<void>;
  onProgress?(done: number, total: number): void;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;
const BLOBS_AT_ONCE = 1_000;

/**
 * Makes lost records anew from the trace folders, the cold packs and the loose blobs, into a new database that takes its
 * place when it is whole: killed before, it changes nothing and can be run again. The caller holds the folder's lock and
 * has seen that there are no records.
 */
export async function rebuildRecords(options: RebuildOptions): Promise<Rebuilt> {
  const paths = layout(options.dataDir);
  const draft = `${paths.database}.rebuilding`;
  for (const end of ["", "-wal", "-shm"]) rmSync(`${draft}${end}`, { force: true });
  mkdirSync(paths.traces, { recursive: true, mode: 0o700 });
  const { records, raw } = openSqlite(draft);
  let rebuilt: Rebuilt;
  try {
    migrate(raw);
    rebuilt = await fill(options, records);
    await options.admit(records);
    leaveLog(raw);
  } finally {
    await records.destroy();
  }
  await fsyncFile(draft);
  // A log of the lost records would be taken for one of the new.
  const old = ["", "-wal", "-shm"].map((end) => `${paths.database}${end}`).filter((path) => existsSync(path));
  if (old.length > 0) await setAside(paths, old, options.now);
  await rename(draft, paths.database);
  await fsyncFolder(paths.root);
  return rebuilt;
}

/** All of a database that is to be renamed must be in its file: a log goes by its name. */
function leaveLog(raw: Database): void {
  const { journal_mode } = raw.query("PRAGMA journal_mode = DELETE").get() as { journal_mode: string };
  if (journal_mode !== "delete") throw new Error("The new records could not be brought into one file.");
}

async function fill(options: RebuildOptions, records: Records): Promise<Rebuilt> {
  const { coldDir, now } = options;
  const paths = layout(options.dataDir);
  const rebuilt: Rebuilt = { traces: { hot: 0, warm: 0, cold: 0 }, lost: [] };
  const known = new Set([
    ...namesIn(paths.traces),
    ...namesIn(coldDir).map((name) => basename(name, ".zip")),
  ]);
  const traceIds = [...known].filter((name) => UUID.test(name)).sort();
  for (const [at, traceId] of traceIds.entries()) {
    options.onProgress?.(at, traceIds.length);
    const { record, lost } = await recordOf(options, traceId);
    for (const what of lost) rebuilt.lost.push({ traceId, what });
    if (!record) continue;
    try {
      await insert(options, records, record);
      rebuilt.traces[record.trace.tier]++;
    } catch (error) {
      if (!isContradiction(error)) throw error;
      rebuilt.lost.push({ traceId, what: `everything: its record contradicts others (${error.message})` });
    }
  }
  await registerBlobs(paths, records, now);
  for (const { trace_id, count } of await tracesLackingBlobs(records))
    rebuilt.lost.push({ traceId: trace_id, what: `${count} ${count === 1 ? "blob" : "blobs"}` });
  return rebuilt;
}

const isContradiction = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CONSTRAINT");

/** A trace that waited to be processed waits on. */
async function insert({ ids, now }: RebuildOptions, records: Records, record: TraceRecord): Promise<void> {
  const { id, status, created_at } = record.trace;
  await records.transaction().execute(async (trx) => {
    await insertTraceRecord(trx, record, now);
    if (status !== "queued") return;
    await insertJob(trx, {
      id: ids.uuid(),
      kind: PROCESS,
      dedupe_key: id,
      payload: JSON.stringify({ trace_id: id }),
      state: "queued",
      max_attempts: 3,
      visible_at: created_at,
      lease_token: null,
      last_error: null,
      created_at,
      finished_at: null,
    });
  });
}

/** What is known of a trace, with its files where they lie now. */
async function recordOf(
  options: RebuildOptions,
  traceId: string,
): Promise<{ record: TraceRecord | null; lost: string[] }> {
  const { coldDir, ids, org } = options;
  const paths = layout(options.dataDir);
  const folder = paths.trace(traceId);
  const kept = await readRecord(folder, traceId);
  if (kept && !kept.artifacts.some((artifact) => !isThere(options, kept, artifact)))
    return { record: kept, lost: [] };

  const files = await filesIn(folder, traceId);
  const warm = join(folder, TRACE_FILES.pack);
  const cold = join(coldDir, `${traceId}.zip`);
  const hasEvents = files.some(({ kind }) => kind === "ndjson" || kind === "playwright");
  const packed = existsSync(warm) ? ("warm" as const) : existsSync(cold) ? ("cold" as const) : null;
  const older = async () => kept ?? olderRecord(ids, traceId, folder, org);
  if (hasEvents || packed === null) return looseRecord(paths, kept, await older(), files);
  try {
    const packPath = packed === "warm" ? warm : cold;
    const packName =
      packed === "warm" ? `${paths.traceRelative(traceId)}/${TRACE_FILES.pack}` : basename(cold);
    const contents = await packContents({ tier: packed, packPath, packName, folder });
    const record = await older();
    const blobs = contents.blobs.filter(
      ({ hash }) => packed === "warm" || hash === record.trace.final_screenshot,
    );
    const trace = { ...record.trace, tier: packed };
    const lost = kept ? [] : [`${OLDER}, and the words of its console, requests and thoughts`];
    return { record: sized({ ...record, ...contents, blobs, trace }, kept !== null), lost };
  } catch (error) {
    return { record: null, lost: [`everything: its pack cannot be read (${messageOf(error)})`] };
  }
}

/** Of a trace whose files are files of their own, wherever its record, if it has one, says that they are. */
async function looseRecord(
  paths: Layout,
  kept: TraceRecord | null,
  base: TraceRecord,
  artifacts: RecordedArtifact[],
): Promise<{ record: TraceRecord | null; lost: string[] }> {
  if (artifacts.length === 0)
    return { record: null, lost: ["everything: its folder has no file of a trace"] };
  const lost = kept ? [] : [OLDER];
  const gone = (kept?.artifacts ?? []).filter(
    ({ kind }) => kind !== "pack" && !artifacts.some((file) => file.kind === kind),
  );
  if (gone.length > 0) lost.push(`its ${gone.map(({ kind }) => kind).join(", ")}`);
  const named = new Set(base.blobs.map(({ hash }) => hash).filter((hash) => !existsSync(paths.blob(hash))));
  const places = await placesInArchive(paths, artifacts, named);
  const words = kept ? null : await wordsIn(paths, base.trace.id, artifacts);
  const trace = { ...base.trace, tier: "hot" as const, ...(words && { search_version: 1 }) };
  const record = { ...base, artifacts, places, trace, words: words ?? base.words };
  return { record: sized(record, kept !== null), lost };
}

/** A trace without a record has no counts of its own. */
function sized(record: TraceRecord, isKnown: boolean): TraceRecord {
  if (isKnown) return record;
  const total = record.artifacts.reduce(
    (sum, { size, pack_offset }) => sum + (pack_offset === null ? size : 0),
    0,
  );
  return { ...record, trace: { ...record.trace, total_size_bytes: total, blob_count: record.blobs.length } };
}

const OLDER =
  "its short id, pin, source, commit, pull request, run and region, which an older version wrote nowhere";

function isThere(
  { dataDir, coldDir }: RebuildOptions,
  { trace }: TraceRecord,
  artifact: RecordedArtifact,
): boolean {
  const isCold = artifact.kind === "pack" && trace.tier === "cold";
  const path = join(isCold ? coldDir : dataDir, artifact.path);
  if (artifact.pack_offset !== null) return existsSync(path);
  return isWhole(path, artifact.size);
}

/** Every loose blob; those that no trace names go to the collector. */
async function registerBlobs(paths: Layout, records: Records, now: number): Promise<void> {
  const entries = existsSync(paths.blobs)
    ? readdirSync(paths.blobs, { recursive: true, withFileTypes: true })
    : [];
  const loose = entries
    .filter((entry) => entry.isFile() && HASH.test(entry.name))
    .filter((entry) => join(entry.parentPath, entry.name) === paths.blob(entry.name))
    .map(({ name }) => ({ hash: name, size: statSync(paths.blob(name)).size }));
  for (let at = 0; at < loose.length; at += BLOBS_AT_ONCE) {
    const part = loose.slice(at, at + BLOBS_AT_ONCE);
    await records.transaction().execute((trx) => registerLooseBlobs(trx, part, now));
  }
  await orphanUnnamedBlobs(records, now);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
