import { existsSync, mkdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { fsyncFile, fsyncFolder } from "../../../store/blobs/sync.ts";
import { dataFolder } from "../../../store/data-folder.ts";
import { draftRecords, filesOfDatabase } from "../../../store/draft-records.ts";
import type { Files } from "../../../store/files/files.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { looseBlobs, testRunsWithRecords, tracesWithFiles } from "../../../store/files/survey.ts";
import { registerLooseBlobs } from "../../../store/records/blobs.ts";
import type { Records } from "../../../store/records/db.ts";
import { insertJob } from "../../../store/records/jobs.ts";
import { isContradiction } from "../../../store/records/outcome.ts";
import { insertTestRunRecord } from "../../../store/records/test-run-record.ts";
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
import { filesOf, olderRecord } from "./older.ts";
import { packContents } from "./packed.ts";
import { findFile, readRecord, readTestRun } from "./read.ts";
import { placesInArchive, wordsIn } from "./recover.ts";

export interface Rebuilt {
  traces: { hot: number; warm: number; cold: number };
  testRuns: number;
  /** Sentences about what did not come back, by trace. */
  lost: { traceId: string; what: string }[];
  /** The same of test runs. */
  lostTestRuns: { id: string; what: string }[];
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

const BLOBS_AT_ONCE = 1_000;

/**
 * Makes lost records anew from the trace folders, the cold packs and the loose blobs, into a new database that takes its
 * place when it is whole: killed before, it changes nothing and can be run again. The caller holds the folder's lock and
 * has seen that there are no records.
 */
export async function rebuildRecords(options: RebuildOptions): Promise<Rebuilt> {
  const { root, database } = dataFolder(options.dataDir);
  const files = createLocalFiles({ root, coldDir: options.coldDir });
  const draft = `${database}.rebuilding`;
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const rebuilt: Rebuilt = { traces: { hot: 0, warm: 0, cold: 0 }, testRuns: 0, lost: [], lostTestRuns: [] };
  await draftRecords(draft, async (records) => {
    const loose = new Set(looseBlobs(files.address).map(({ hash }) => hash));
    await fill({ ...options, files, loose }, records, rebuilt);
    await options.admit(records);
  });
  await fsyncFile(draft);
  // A log of the lost records would be taken for one of the new.
  const old = filesOfDatabase(database).filter((path) => existsSync(path));
  if (old.length > 0) await setAside(options.dataDir, old, options.now);
  await rename(draft, database);
  await fsyncFolder(root);
  return rebuilt;
}

interface Rebuilding extends RebuildOptions {
  files: Files;
  /** Hashes that have a loose file. */
  loose: ReadonlySet<string>;
}

async function fill(options: Rebuilding, records: Records, rebuilt: Rebuilt): Promise<void> {
  const { files, now } = options;
  const traceIds = tracesWithFiles(files.address);
  for (const [at, traceId] of traceIds.entries()) {
    options.onProgress?.(at, traceIds.length);
    const { record, lost } = await recordOf(options, traceId);
    for (const what of lost) rebuilt.lost.push({ traceId, what });
    if (!record) continue;
    try {
      await insert(options, records, record);
      rebuilt.traces[record.trace.tier]++;
    } catch (error) {
      if (!isContradiction(records, error)) throw error;
      rebuilt.lost.push({ traceId, what: `everything: its record contradicts others (${error.message})` });
    }
  }
  await fillTestRuns(files, records, rebuilt);
  await registerBlobs(files, records, now);
  for (const { trace_id, count } of await tracesLackingBlobs(records))
    rebuilt.lost.push({ traceId: trace_id, what: `${count} ${count === 1 ? "blob" : "blobs"}` });
}

/** After the traces, which their attempts name. */
async function fillTestRuns(files: Files, records: Records, rebuilt: Rebuilt): Promise<void> {
  for (const id of testRunsWithRecords(files.address)) {
    const record = await readTestRun(files, id);
    try {
      if (record) await records.transaction().execute((trx) => insertTestRunRecord(trx, record));
      if (record) rebuilt.testRuns++;
      else rebuilt.lostTestRuns.push({ id, what: "everything: its record cannot be read" });
    } catch (error) {
      if (!isContradiction(records, error)) throw error;
      rebuilt.lostTestRuns.push({ id, what: `everything: its record contradicts others (${error.message})` });
    }
  }
}

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
  options: Rebuilding,
  traceId: string,
): Promise<{ record: TraceRecord | null; lost: string[] }> {
  const { files, ids, org } = options;
  const kept = await readRecord(files, traceId);
  if (kept && (await areThere(files, kept.artifacts))) return { record: kept, lost: [] };

  const found = await filesOf(files, traceId);
  const warm = await findFile(files, traceId, TRACE_FILES.pack);
  const [cold] = await files.coldKeysOf(traceId);
  const hasEvents = found.some(({ kind }) => kind === "ndjson" || kind === "playwright");
  const packKey = warm ?? cold ?? null;
  const older = async () => kept ?? olderRecord(ids, traceId, files, org);
  if (hasEvents || packKey === null) return looseRecord(options, kept, await older(), found);
  try {
    const packed = warm === null ? ("cold" as const) : ("warm" as const);
    const contents = await packContents({ tier: packed, packKey, traceId, files });
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
  { files, loose }: Rebuilding,
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
  const elsewhere = new Set<string>();
  for (const { hash } of base.blobs) if (!loose.has(hash)) elsewhere.add(hash);
  const places = await placesInArchive(files, artifacts, elsewhere);
  const words = kept ? null : await wordsIn(files, artifacts);
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

async function areThere(files: Files, artifacts: readonly RecordedArtifact[]): Promise<boolean> {
  for (const { path, size, pack_offset } of artifacts) {
    const found = await files.size(path);
    if (found === null || (pack_offset === null && found !== size)) return false;
  }
  return true;
}

/** Every loose blob; those that no trace names go to the collector. */
async function registerBlobs(files: Files, records: Records, now: number): Promise<void> {
  const loose = looseBlobs(files.address);
  for (let at = 0; at < loose.length; at += BLOBS_AT_ONCE) {
    const part = loose.slice(at, at + BLOBS_AT_ONCE);
    await records.transaction().execute((trx) => registerLooseBlobs(trx, part, now));
  }
  await orphanUnnamedBlobs(records, now);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
