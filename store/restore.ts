import { createReadStream, existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { extract as createExtract } from "tar-stream";
import { appendCheckpoints, readCheckpoints } from "./audit/file.ts";
import { noteReplacement, signerOf } from "./audit/replaced.ts";
import type { BackupHeader, BackupSums } from "./backup.ts";
import { fsyncFile } from "./blobs/sync.ts";
import { writeDurably } from "./files/write.ts";
import { type Layout, layout } from "./layout.ts";
import { auditHeadsOfFile, contentsOfFile, stateOfFile } from "./records/engine/sqlite/file.ts";
import { SCHEMA_VERSION } from "./records/engine/sqlite/migrate.ts";
import { brokenRestore, endBrokenRestore, PARTS, replaceParts, stagingName } from "./replacement.ts";

/** A backup that cannot be put back, or a place where it may not be; the message is for the person who asked. */
export class RestoreError extends Error {
  override name = "RestoreError";
}

export interface RestoreResult {
  files: number;
  traces: number;
  created_at: string;
}

/** What a backup may hold; anything else is refused, so that a forged one cannot write outside the folder. */
const MEMBER =
  /^(backup\.json|sums\.json|tracedeck\.db|settings\.json|credentials\.json|signing\.key|audit\/checkpoints\.ndjson|(blobs\/sha256|traces|cold|test-runs)(\/[\w-][\w.-]*){1,8})$/;

/**
 * Puts a backup back. It is unpacked beside the store and checked whole — every sum, the records' integrity, every file
 * they name — before anything that is there is touched; then each part is moved into place, the records last. When one cannot
 * be moved, all that was there is put back. What an earlier restore left half done is put back first.
 * The caller holds the folder's lock, so that no server starts meanwhile.
 * @param options.coldDirOf the cold folder by the restored settings (raw text of settings.json, null without one)
 * @throws RestoreError when the folder has a store and `force` is not set, or the backup is damaged or too new.
 */
export async function restoreBackup(options: {
  dataDir: string;
  file: string;
  id: string;
  force: boolean;
  /** Epoch ms. */
  now: number;
  coldDirOf: (settings: string | null) => string;
  /** Ends it in order, as long as nothing is replaced yet: nothing stays behind. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}): Promise<RestoreResult> {
  const paths = layout(options.dataDir);
  if (!(await stat(options.file).catch(() => null))?.isFile()) {
    throw new RestoreError(`There is no backup file ${options.file}.`);
  }
  await mkdir(paths.root, { recursive: true, mode: 0o700 });
  if (brokenRestore(paths.root)) await endBrokenRestore(paths.root);
  const present = await partsIn(paths.root);
  if (present.length > 0 && !options.force) {
    throw new RestoreError(
      `${paths.root} already has a store (${present.join(", ")}). Restore into an empty folder, or replace it with --force.`,
    );
  }
  const staging = join(paths.root, stagingName(options.id));
  await mkdir(staging, { mode: 0o700 });
  try {
    const header = await unpack(options.file, staging, options.onProgress, options.signal);
    const result = await inspect(staging);
    options.signal?.throwIfAborted();
    await noteRestore(paths, staging, { at: options.now, backupAt: header.created_at });
    await moveCold(staging, options.coldDirOf);
    await replaceParts(paths.root, staging, present, options.id);
    return { ...result, created_at: header.created_at };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function partsIn(folder: string): Promise<string[]> {
  const present: string[] = [];
  for (const part of PARTS) {
    const path = join(folder, part);
    if (!existsSync(path)) continue;
    const isEmptyFolder =
      (await stat(path)).isDirectory() &&
      (await readdir(path, { recursive: true, withFileTypes: true })).every((entry) => entry.isDirectory());
    if (!isEmptyFolder) present.push(part);
  }
  return present;
}

async function unpack(
  file: string,
  staging: string,
  onProgress: ((done: number, total: number) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<BackupHeader> {
  const input = createReadStream(file, { highWaterMark: 1 << 20 });
  const total = (await stat(file)).size;
  const members = createExtract();
  const found: BackupSums = {};
  const texts: Record<string, string> = {};
  const read = pipeline(
    counted(input, (done) => onProgress?.(done, total)),
    createZstdDecompress(),
    members,
    signal ? { signal } : {},
  );
  // Its failure is met below, where the loop over the members ends with it.
  read.catch(() => {});
  try {
    for await (const entry of members) {
      const { name, type } = entry.header;
      if (type !== "file" || !MEMBER.test(name) || name.includes("..")) {
        throw new RestoreError(`${file} is no backup: it holds "${name}", which does not belong into one.`);
      }
      // A streamx stream is iterable; its types do not say so.
      const bytes = entry as unknown as AsyncIterable<Uint8Array>;
      if (name === "backup.json" || name === "sums.json") texts[name] = await textOf(bytes);
      else found[name] = await writeOut(bytes, join(staging, name));
      if (name === "backup.json") refuseNewer(JSON.parse(texts[name]!) as BackupHeader);
    }
    await read;
  } catch (error) {
    if (error instanceof RestoreError) throw error;
    signal?.throwIfAborted();
    throw new RestoreError(`${file} cannot be read as a backup: ${message(error)}`);
  }
  if (!texts["backup.json"] || !texts["sums.json"]) {
    throw new RestoreError(
      `${file} is no complete backup: it has no ${texts["backup.json"] ? "sums" : "header"}.`,
    );
  }
  compare(JSON.parse(texts["sums.json"]) as BackupSums, found);
  return JSON.parse(texts["backup.json"]) as BackupHeader;
}

function refuseNewer(header: BackupHeader) {
  if (header.version !== 1 || header.schema_version > SCHEMA_VERSION) {
    throw new RestoreError(
      `The backup was made by tracedeck ${header.program} with schema version ${header.schema_version}; this program knows ` +
        `up to ${SCHEMA_VERSION}. Restore it with that version or a newer one.`,
    );
  }
}

function compare(expected: BackupSums, found: BackupSums) {
  for (const [name, sum] of Object.entries(expected)) {
    const actual = found[name];
    if (!actual) throw new RestoreError(`The backup is damaged: ${name} is missing.`);
    if (actual.sha256 !== sum.sha256)
      throw new RestoreError(`The backup is damaged: ${name} is not what was saved.`);
  }
  const extra = Object.keys(found).find((name) => !(name in expected));
  if (extra) throw new RestoreError(`The backup is damaged: ${extra} was added to it.`);
}

async function writeOut(entry: AsyncIterable<Uint8Array>, path: string): Promise<BackupSums[string]> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { size, sha256 } = await writeDurably(path, entry);
  return { sha256, size };
}

async function* counted(input: AsyncIterable<Uint8Array>, tell: (done: number) => void) {
  let done = 0;
  for await (const chunk of input) {
    done += chunk.length;
    tell(done);
    yield chunk;
  }
}

async function textOf(entry: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The restored records must be sound. */
async function inspect(staging: string): Promise<{ files: number; traces: number }> {
  const path = join(staging, "tracedeck.db");
  if (!existsSync(path)) throw new RestoreError("The backup is damaged: it has no records.");
  const { version, problems } = stateOfFile(path);
  if (problems.length > 0) throw new RestoreError(`The records in the backup are damaged: ${problems[0]}`);
  if (version > SCHEMA_VERSION) throw new RestoreError("The records in the backup are too new.");
  const entries = await readdir(staging, { recursive: true, withFileTypes: true });
  return {
    traces: contentsOfFile(path).traces.length,
    files: entries.filter((entry) => entry.isFile()).length,
  };
}

/**
 * The checkpoints of the folder go on where both are signed by the same key, with a note that says from which entry on they are
 * set aside: otherwise entries that came after the backup would look cut off.
 */
async function noteRestore(
  paths: Layout,
  staging: string,
  { at, backupAt }: { at: number; backupAt: string },
): Promise<void> {
  const restored = layout(staging);
  const signer = signerOf(restored.signingKey);
  if (!signer) return;
  const kept = await readCheckpoints(paths.auditCheckpoints, signer);
  const inBackup = await readCheckpoints(restored.auditCheckpoints, signer);
  const known = new Set(inBackup.good.map(({ signature }) => signature));
  await appendCheckpoints(
    restored.auditCheckpoints,
    kept.good.filter(({ signature }) => !known.has(signature)),
  );
  await noteReplacement(
    restored.auditCheckpoints,
    signer,
    { event: "backup.restore", at: new Date(at).toISOString(), backup_at: backupAt },
    auditHeadsOfFile(restored.database),
  );
}

/** Cold packs go where the restored settings keep them, which may be another disk: before anything is replaced. */
async function moveCold(staging: string, coldDirOf: (settings: string | null) => string) {
  const from = join(staging, "cold");
  if (!existsSync(from)) return;
  const settings = join(staging, "settings.json");
  const to = coldDirOf(existsSync(settings) ? await Bun.file(settings).text() : null);
  // The usual place is inside the store and moves with the other parts.
  if (to === join(dirname(staging), "cold")) return;
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(to, source.slice(from.length + 1));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await Bun.write(`${target}.restoring`, Bun.file(source));
    await fsyncFile(`${target}.restoring`);
    await rename(`${target}.restoring`, target);
  }
  await rm(from, { recursive: true });
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
