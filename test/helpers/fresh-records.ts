import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { migrate } from "../../store/records/engine/sqlite/migrate.ts";
import { openSqlite } from "../../store/records/engine/sqlite/open.ts";

const root = join(import.meta.dir, "..", "..");
const MIGRATIONS = join(root, "store/records/engine/sqlite/migrations");
/** Beside the executable that tests start; git ignores it. */
const FOLDER = join(root, "dist", "test-records");
const CODE = ["migrate.ts", "open.ts"].map((name) => join(MIGRATIONS, "..", name));

/**
 * Puts empty records of the newest schema at a path where none are: a copy of what the migrations make, which are run once for as
 * long as they stay as they are. Thirty of them are more work than a short test.
 */
export async function freshRecords(path: string): Promise<void> {
  if (!existsSync(path)) copyFileSync(await template(), path);
}

let made: Promise<string> | null = null;

function template(): Promise<string> {
  made ??= make();
  return made;
}

async function make(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of readdirSync(MIGRATIONS).sort())
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  for (const path of CODE) hash.update(readFileSync(path));
  mkdirSync(FOLDER, { recursive: true });
  const name = `${hash.digest("hex").slice(0, 16)}.db`;
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  // Those of older schemas. The one that is wanted may have been made by another in this moment, who copies it already.
  for (const other of readdirSync(FOLDER))
    if (other.endsWith(".db") && other !== name) rmSync(join(FOLDER, other), { force: true });
  // Files that begin at the same time each make a whole one.
  const work = mkdtempSync(join(FOLDER, "making-"));
  const { records, raw } = openSqlite(join(work, "records.db"));
  migrate(raw);
  raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
  await records.destroy();
  renameSync(join(work, "records.db"), path);
  rmSync(work, { recursive: true, force: true });
  return path;
}
