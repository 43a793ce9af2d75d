import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { type TarFile, writeTar } from "./archives/tar-writer.ts";
import { fsyncFile, fsyncFolder } from "./blobs/sync.ts";
import { blobKey, testRunRecordKey } from "./files/keys.ts";
import type { LeftWork } from "./files/work.ts";
import { holdFile } from "./hold.ts";
import { type Layout, layout } from "./layout.ts";
import { contentsOfFile, type FileContents, snapshotFile } from "./records/engine/sqlite/file.ts";

/** First member of a backup: what it is. */
export interface BackupHeader {
  version: 1;
  program: string;
  schema_version: number;
  created_at: string;
}

/** Last member of a backup, `sums.json`: every other member but the header, so that a cut or altered copy is noticed. */
export type BackupSums = Record<string, { sha256: string; size: number }>;

export interface BackupResult {
  files: number;
  /** Of the backup file itself. */
  bytes: number;
  traces: number;
  /** Sentences about files that are missing or are not what the records say; they are in the backup as they are. */
  warnings: string[];
}

interface Source {
  /** Name in the archive. */
  name: string;
  path: string;
  size: number;
  sha256: string | null;
}

/** Small files beside the records that make a data folder work. */
const CONFIGURATION = ["settings.json", "credentials.json", "signing.key", "audit/checkpoints.ndjson"];
const ROUNDS = 5;
/** Links and the snapshot of a backup in the making, and beside it what its process holds. */
const SCRATCH = "backup-";
const HELD = ".held";

/**
 * Writes a consistent copy of a data folder as a zstd-compressed tar, readable by `tar --zstd -tf`, mode 0600, for it
 * holds keys. A server may be running on the folder: the records are a snapshot of one moment, the files they name never
 * change once acknowledged, and hard links keep those that the server replaces or removes meanwhile.
 * The finished file takes its name at the very end.
 * @throws when the folder has no store, or the file cannot be written.
 */
export async function writeBackup(options: {
  dataDir: string;
  coldDir: string;
  outPath: string;
  program: string;
  now: number;
  id: string;
  /** Ends it in order: nothing stays behind. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}): Promise<BackupResult> {
  const paths = layout(options.dataDir);
  const scratch = join(paths.tmp, `${SCRATCH}${options.id}`);
  const partial = `${options.outPath}.${options.id}.partial`;
  await mkdir(paths.tmp, { recursive: true, mode: 0o700 });
  const letGo = holdFile(`${scratch}${HELD}`);
  try {
    await mkdir(scratch, { mode: 0o700 });
    const { sources, traces, schema, warnings } = await collect(paths, options.coldDir, scratch);
    const header: BackupHeader = {
      version: 1,
      program: options.program,
      schema_version: schema,
      created_at: new Date(options.now).toISOString(),
    };
    const members = membersOf({ header, sources, warnings, onProgress: options.onProgress });
    const pieces = writeTar(members, { mode: 0o600, mtime: Math.floor(options.now / 1_000) });
    await pipeline(
      Readable.from(pieces, { objectMode: false }),
      createZstdCompress(),
      createWriteStream(partial, { flags: "wx", mode: 0o600 }),
      options.signal ? { signal: options.signal } : {},
    );
    await fsyncFile(partial);
    await rename(partial, options.outPath);
    await fsyncFolder(dirname(options.outPath));
    return { files: sources.length, bytes: (await stat(options.outPath)).size, traces, warnings };
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await rm(partial, { force: true });
    letGo?.();
    await rm(`${scratch}${HELD}`, { force: true });
  }
}

/** Removes what backups that were killed have left in a data folder. One that goes on holds its own. @returns what cannot be removed */
export async function sweepBackups(dataDir: string): Promise<LeftWork[]> {
  const { tmp } = layout(dataDir);
  const names = (await readdir(tmp)).filter((name) => name.startsWith(SCRATCH));
  const left: LeftWork[] = [];
  for (const name of new Set(names.map((one) => one.replace(HELD, "")))) {
    const scratch = join(tmp, name);
    const letGo = holdFile(`${scratch}${HELD}`);
    if (!letGo) continue;
    try {
      await rm(scratch, { recursive: true, force: true });
    } catch (error) {
      left.push({ name, error });
      continue;
    } finally {
      letGo();
    }
    await rm(`${scratch}${HELD}`, { force: true });
  }
  return left;
}

async function* membersOf(what: {
  header: BackupHeader;
  sources: Source[];
  warnings: string[];
  onProgress: ((done: number, total: number) => void) | undefined;
}): AsyncGenerator<TarFile> {
  const total = what.sources.reduce((sum, source) => sum + source.size, 0);
  const sums: BackupSums = {};
  let done = 0;

  yield textMember("backup.json", `${JSON.stringify(what.header, null, 2)}\n`);
  for (const { name, path, size, sha256: expected } of what.sources) {
    const hash = new Bun.CryptoHasher("sha256");
    async function* counted() {
      if (size === 0) return;
      // The events of a running trace grow on; what was acknowledged when the snapshot was made is before `end`.
      for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: 1 << 20 })) {
        hash.update(chunk);
        done += chunk.length;
        what.onProgress?.(done, total);
        yield chunk;
      }
    }
    yield { name, size, bytes: counted };
    const sha256 = hash.digest("hex");
    sums[name] = { sha256, size };
    if (expected && expected !== sha256)
      what.warnings.push(`${name} is damaged: its SHA-256 is ${sha256}, not ${expected}.`);
  }
  yield textMember("sums.json", JSON.stringify(sums));
}

function textMember(name: string, text: string): TarFile {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, bytes: () => [bytes] };
}

/** A snapshot of the records and links to all that they name; taken again while the server changes files under it. */
async function collect(
  paths: Layout,
  coldDir: string,
  scratch: string,
): Promise<{ sources: Source[]; traces: number; schema: number; warnings: string[] }> {
  for (let round = 1; ; round++) {
    const folder = join(scratch, String(round));
    await mkdir(folder, { mode: 0o700 });
    const database = join(folder, "tracedeck.db");
    snapshotFile(paths.database, database);
    const contents = contentsOfFile(database);
    const { files, traces } = await wantedFiles(contents, paths, coldDir);
    const { linked, problems } = await linkAll(files, join(folder, "files"));
    if (problems.length > 0 && round < ROUNDS) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    const configuration = await linkAll(
      CONFIGURATION.map((name) => ({ name, path: join(paths.root, name), isOptional: true })),
      join(folder, "configuration"),
    );
    const records = {
      name: "tracedeck.db",
      path: database,
      size: (await stat(database)).size,
      sha256: null,
    };
    return {
      sources: [records, ...configuration.linked, ...linked],
      traces,
      schema: contents.version,
      warnings: problems,
    };
  }
}

interface Wanted {
  name: string;
  path: string;
  size?: number;
  sha256?: string;
  /** May be gone without anything missing. */
  isOptional?: boolean;
}

async function wantedFiles(
  { artifacts, blobs, traces, testRuns }: FileContents,
  paths: Layout,
  coldDir: string,
): Promise<{ files: Wanted[]; traces: number }> {
  const files = new Map<string, Wanted>();
  const add = (file: Wanted) => {
    if (!files.has(file.name)) files.set(file.name, file);
  };
  for (const { path, size, sha256, kind, tier } of artifacts) {
    if (kind === "pack" && tier === "cold")
      add({ name: `cold/${path}`, path: join(coldDir, path), size, sha256 });
    else add({ name: path, path: join(paths.root, path), size, sha256 });
  }
  for (const { hash, suffix, size } of blobs) {
    const name = blobKey(hash, suffix);
    add({ name, path: join(paths.root, name), size, sha256: hash });
  }
  for (const id of testRuns) {
    const name = testRunRecordKey(id);
    // One that is not written yet is made from the records later.
    add({ name, path: join(paths.root, name), isOptional: true });
  }
  // What a running trace has written so far is in its folder and not yet among the artifacts.
  for (const id of traces) {
    const entries = await readdir(paths.trace(id), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      add({
        name: `${paths.traceRelative(id)}/${entry.name}`,
        path: join(paths.trace(id), entry.name),
        isOptional: true,
      });
    }
  }
  return { files: [...files.values()], traces: traces.length };
}

async function linkAll(files: Wanted[], folder: string): Promise<{ linked: Source[]; problems: string[] }> {
  const linked: Source[] = [];
  const problems: string[] = [];
  await mkdir(folder, { mode: 0o700 });
  for (const [index, file] of files.entries()) {
    const path = join(folder, String(index));
    try {
      // A cold folder may be on another disk, where only a copy is possible.
      await link(file.path, path).catch((error) => {
        if (error.code === "ENOENT") throw error;
        return copyFile(file.path, path, constants.COPYFILE_EXCL);
      });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      if (!file.isOptional) problems.push(`${file.name} is missing.`);
      continue;
    }
    const { size } = await stat(path);
    if (file.size !== undefined && size !== file.size) {
      problems.push(`${file.name} has ${size} bytes where ${file.size} belong.`);
    }
    linked.push({ name: file.name, path, size, sha256: file.sha256 ?? null });
  }
  return { linked, problems };
}
