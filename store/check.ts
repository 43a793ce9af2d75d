import { closeSync, existsSync, openSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { readExactly } from "./events/disk.ts";
import { decodeHeader, INDEX_HEADER_SIZE } from "./events/index-file.ts";
import { identify } from "./events/rebuild.ts";
import { blobKey, blobOfKey, traceKey } from "./files/keys.ts";
import { contentStream } from "./files/local-read.ts";
import { eventIndexPath, TRACE_FILES } from "./files/names.ts";
import { keyAt } from "./files/survey.ts";
import { type ArtifactRow, allArtifacts, artifactsOf, findArtifact } from "./records/artifacts.ts";
import { allLocations, LOOSE, looseAmong, tracesReferring } from "./records/blobs.ts";
import type { Records } from "./records/db.ts";
import { hasWorkFor } from "./records/jobs.ts";
import { findTrace } from "./records/traces.ts";
import type { Store } from "./store.ts";

/** Bytes that the records promise and that are not there, or not those. */
export interface Damage {
  /** A blob's hash, or `<trace id>/<artifact kind>`. */
  name: string;
  /** Absolute. */
  path: string;
  /** Whether it is the file of a loose blob. */
  isLoose: boolean;
  problem: "missing" | "damaged";
  detail: string;
  /** Ids of the traces that lose by it. */
  traces: string[];
}

export interface Checked {
  count: number;
  bytes: number;
  damages: Damage[];
}

/** Absolute path of a file that the records name relative to the data folder, or to the cold folder once it is cold. */
function locate(store: Store, coldDir: string, relative: string): string {
  const online = join(store.layout.root, relative);
  if (existsSync(online)) return online;
  const cold = join(coldDir, relative);
  return existsSync(cold) ? cold : online;
}

/** Reads every blob at every place and compares it with its hash. @param onBytes told of the bytes of each one read */
export async function checkBlobs(
  store: Store,
  coldDir: string,
  onBytes: (bytes: number) => void,
): Promise<Checked> {
  const places = await allLocations(store.records);
  const result: Checked = { count: places.length, bytes: 0, damages: [] };
  for (const place of places) {
    const { hash, container, suffix = "", offset, storedSize, size, method } = place;
    const path =
      container === LOOSE
        ? store.files.whereabouts(blobKey(hash, suffix))
        : locate(store, coldDir, container);
    const bytes = contentStream({ path, offset, storedSize, size, method });
    const detail = await disagreement(bytes, hash);
    result.bytes += size;
    onBytes(size);
    if (detail === null) continue;
    const traces = await tracesReferring(store.records, hash);
    const isLoose = container === "";
    result.damages.push({ name: hash, path, isLoose, problem: problemAt(path), detail, traces });
  }
  return result;
}

/** Reads every file of every trace and compares it with its SHA-256. */
export async function checkArtifacts(
  store: Store,
  coldDir: string,
  onBytes: (bytes: number) => void,
): Promise<Checked> {
  const rows = await allArtifacts(store.records);
  const result: Checked = { count: rows.length, bytes: 0, damages: [] };
  for (const listed of rows) {
    const first = await checkArtifact(store, coldDir, listed);
    // A working server replaces and moves files while this reads: what the records say by now counts.
    const row = first === null ? listed : await findArtifact(store.records, listed.trace_id, listed.kind);
    const isSame = row?.sha256 === listed.sha256 && row.path === listed.path;
    const detail = row && !isSame ? await checkArtifact(store, coldDir, row) : first;
    result.bytes += listed.size;
    onBytes(listed.size);
    if (detail === null || !row) continue;
    const name = `${row.trace_id}/${row.kind}`;
    const path = locate(store, coldDir, row.path);
    const problem = problemAt(path);
    result.damages.push({ name, path, isLoose: false, problem, detail, traces: [row.trace_id] });
  }
  return result;
}

async function checkArtifact(store: Store, coldDir: string, row: ArtifactRow): Promise<string | null> {
  const path = locate(store, coldDir, row.path);
  const bytes =
    row.pack_offset === null
      ? Bun.file(path).stream()
      : contentStream({
          path,
          offset: row.pack_offset,
          storedSize: row.pack_stored_size ?? row.size,
          size: row.size,
          method: row.pack_method === 8 ? 8 : 0,
        });
  return disagreement(bytes, row.sha256);
}

async function disagreement(bytes: ReadableStream<Uint8Array>, expected: string): Promise<string | null> {
  const hash = new Bun.CryptoHasher("sha256");
  try {
    for await (const chunk of bytes) hash.update(chunk);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const actual = hash.digest("hex");
  return actual === expected ? null : `its SHA-256 is ${actual}`;
}

const problemAt = (path: string) => (existsSync(path) ? "damaged" : "missing");

/** Traces whose event index is missing or belongs to another version of the event file. */
export async function staleIndexes(
  store: Store,
): Promise<{ traceId: string; path: string; indexPath: string }[]> {
  const rows = await store.records
    .selectFrom("artifacts")
    .select(["trace_id", "path"])
    .where("kind", "=", "ndjson")
    .where("pack_offset", "is", null)
    .execute();
  return rows
    .map(({ trace_id, path }) => ({ traceId: trace_id, path: join(store.layout.root, path) }))
    .map((events) => ({ ...events, indexPath: eventIndexPath(events.path) }))
    .filter(({ path, indexPath }) => existsSync(path) && !isIndexOf(path, indexPath));
}

function isIndexOf(path: string, indexPath: string): boolean {
  if (!existsSync(indexPath)) return false;
  const file = openSync(path, "r");
  const index = openSync(indexPath, "r");
  try {
    const identity = identify(file);
    const header = decodeHeader(readExactly(index, 0, INDEX_HEADER_SIZE));
    return (
      identity?.size === header?.identity.size &&
      identity?.seekTableChecksum === header?.identity.seekTableChecksum
    );
  } catch {
    // Too short to be an index.
    return false;
  } finally {
    closeSync(file);
    closeSync(index);
  }
}

/** Files below the store's folders that no record names, by when they were last changed (epoch ms). */
export async function strayFiles(store: Store): Promise<{ path: string; size: number; changedAt: number }[]> {
  const { layout } = store;
  const strays: { path: string; size: number; changedAt: number }[] = [];
  for (const folder of [layout.blobs, layout.traces, layout.tmp]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    const isNamed = await namesOf(store, paths);
    for (const path of paths) {
      if (isNamed(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found) strays.push({ path, size: found.size, changedAt: Math.floor(found.mtimeMs) });
    }
  }
  return strays;
}

/** Which of the files the records name: loose blobs on record, and files of traces that a row names or may yet name. */
async function namesOf({ layout, records }: Store, paths: string[]): Promise<(path: string) => boolean> {
  const blobAt = (path: string) => blobOfKey(keyAt(layout.root, path));
  const loose = await looseAmong(
    records,
    paths.flatMap((path) => blobAt(path)?.hash ?? []),
  );
  const isNamedBlob = (path: string) => {
    const blob = blobAt(path);
    return blob !== null && loose.get(blob.hash)?.suffix === blob.suffix;
  };

  const ofTraces = new Map<string, string[]>();
  for (const path of paths) {
    if (!path.startsWith(layout.traces + sep)) continue;
    const traceId = path.slice(layout.traces.length + 1).split(sep)[0]!;
    const own = ofTraces.get(traceId) ?? [];
    own.push(path);
    ofTraces.set(traceId, own);
  }
  const named = new Set<string>();
  for (const [traceId, own] of ofTraces) {
    const isNamed = await namesOfTrace(records, traceId);
    for (const path of own) {
      const name = path
        .slice(join(layout.traces, traceId).length + 1)
        .split(sep)
        .join("/");
      if (isNamed(name)) named.add(path);
    }
  }
  return (path) => isNamedBlob(path) || named.has(path);
}

/** Tells whether a file of a trace's folder is named by a row, or may be on its way to be. */
async function namesOfTrace(records: Records, traceId: string): Promise<(name: string) => boolean> {
  const trace = await findTrace(records, traceId);
  if (!trace) return () => false;
  // A job names files, or is about to clear them away.
  const isMoving =
    trace.status === "running" || trace.status === "queued" || (await hasWorkFor(records, traceId));
  const keys = new Set(
    (await artifactsOf(records, traceId)).flatMap(({ path }) => [path, eventIndexPath(path)]),
  );
  return (name) => isMoving || name.startsWith(TRACE_FILES.record) || keys.has(traceKey(traceId, name));
}
