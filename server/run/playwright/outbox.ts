import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Told } from "./outcome.ts";

/** An archive that is to be sent, and what goes with it. */
export interface OutboxEntry {
  version: 1;
  /** Of its files: `<id>.json`, which is written last, and `<id>.zip`. */
  id: string;
  /** Of the multipart upload (`POST /v1/traces/ingest`). */
  fields: Record<string, string>;
  /** Goes with every try, so that what arrived is not kept twice. */
  idempotency_key: string;
  /** A trace that the fixture has recorded and that this archive belongs to. */
  /** False: the fixture's trace is to be ended, and that is all. */
  has_archive: boolean;
  /** The attempt of a test run that the trace is of; `id` is the server's, once it is known. */
  test_run?: { key: string; id: string | null; told: Told };
  live?: { trace_id: string; status: "passed" | "failed" | "error" | "aborted" };
}

/** A folder of archives that wait to be sent, by this run or a later one. */
export interface Outbox {
  /** Takes an archive in: it outlives the folder of test results, which Playwright empties. */
  add(entry: OutboxEntry, archive: string | null): Promise<void>;
  /** Writes down what is known by now of one that waits. */
  update(entry: OutboxEntry): Promise<void>;
  /** Oldest first. */
  list(): Promise<OutboxEntry[]>;
  archiveOf(entry: OutboxEntry): string;
  /** It has arrived. */
  done(entry: OutboxEntry): Promise<void>;
  /** The server will never take it: it stays, but is not sent again. */
  refuse(entry: OutboxEntry, reason: string): Promise<string>;
}

/** What an outbox may grow to; beyond it the oldest archives go. */
const MOST_BYTES = 2 * 1024 ** 3;

export function openOutbox(folder: string, options: { mostBytes?: number } = {}): Outbox {
  const mostBytes = options.mostBytes ?? MOST_BYTES;
  const manifestOf = ({ id }: { id: string }) => join(folder, `${id}.json`);
  const archiveOf = ({ id }: { id: string }) => join(folder, `${id}.zip`);
  let ready: Promise<unknown> | null = null;
  /** Bytes of archives that the folder has at most, as far as this process knows; null before it has looked. */
  let most: number | null = null;

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true });
    // Nobody wants the archives in their repository.
    await writeFile(join(folder, ".gitignore"), "*\n");
  }

  const sizeOf = (entry: OutboxEntry) =>
    stat(archiveOf(entry)).then(
      ({ size }) => size,
      () => 0,
    );

  /** Looks at the whole folder only at first and when it may be too large: a run may add thousands of entries. */
  async function makeRoom(added: OutboxEntry): Promise<void> {
    if (most !== null) most += await sizeOf(added);
    if (most !== null && most <= mostBytes) return;
    const entries = await list();
    const sizes = await Promise.all(entries.map(sizeOf));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    for (const [at, entry] of entries.slice(0, -1).entries()) {
      if (total <= mostBytes) break;
      total -= sizes[at]!;
      await done(entry);
    }
    most = total;
  }

  async function add(entry: OutboxEntry, archive: string | null): Promise<void> {
    ready ??= prepare();
    await ready;
    const target = archiveOf(entry);
    // A second name costs nothing; where the file system has none, a copy.
    if (archive !== null) await link(archive, target).catch(() => copyFile(archive, target));
    await update(entry);
    await makeRoom(entry);
  }

  async function update(entry: OutboxEntry): Promise<void> {
    const unfinished = `${manifestOf(entry)}.part`;
    await writeFile(unfinished, JSON.stringify(entry, null, 2));
    await rename(unfinished, manifestOf(entry));
  }

  async function list(): Promise<OutboxEntry[]> {
    // Without a folder, nothing waits.
    const names = await readdir(folder).catch(() => []);
    const entries: OutboxEntry[] = [];
    for (const name of names.filter((one) => /^[\w-]+\.json$/.test(one)).sort()) {
      const entry = await readEntry(join(folder, name));
      if (entry && `${entry.id}.json` === name) entries.push(entry);
    }
    return entries;
  }

  async function done(entry: OutboxEntry): Promise<void> {
    await rm(manifestOf(entry), { force: true });
    await rm(archiveOf(entry), { force: true });
  }

  return {
    add,
    update,
    list,
    archiveOf,
    done,
    async refuse(entry, reason) {
      const kept = join(folder, `${entry.id}.refused`);
      await writeFile(`${kept}.txt`, `${reason}\n`);
      if (entry.has_archive) await rename(archiveOf(entry), `${kept}.zip`);
      await rm(manifestOf(entry), { force: true });
      return `${kept}.zip`;
    },
  };
}

/** Null for a file that somebody else put there, or that another run has sent meanwhile. */
async function readEntry(path: string): Promise<OutboxEntry | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const entry = JSON.parse(text) as Partial<OutboxEntry>;
    const isWhole =
      entry.version === 1 &&
      typeof entry.id === "string" &&
      typeof entry.idempotency_key === "string" &&
      typeof entry.fields?.scenario_slug === "string";
    return isWhole ? (entry as OutboxEntry) : null;
  } catch {
    return null;
  }
}
