import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { coldFolder } from "./cold-folder.ts";
import { dataFolder } from "./data-folder.ts";
import { traceOfColdKey } from "./files/keys.ts";
import { layout } from "./layout.ts";
import { isBlankFile } from "./records/engine/sqlite/file.ts";
import { brokenRestore } from "./replacement.ts";

/** The folder holds what a store keeps, and no records of it; the message says what was found and what to do. */
export class LostRecordsError extends Error {
  override name = "LostRecordsError";
}

/**
 * Whether the records were never written, were emptied, or are what is left of a database that was copied without its
 * write-ahead log: SQLite takes all of them for a new database.
 */
export function hasNoRecords(dataDir: string): boolean {
  const { database } = dataFolder(dataDir);
  const size = sizeOf(database);
  return size === 0 || (sizeOf(`${database}-wal`) === 0 && size >= 100 && isBlankFile(database));
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * What a store left in its folder (and in the cold folder), in words: "600 traces, 20 blobs, signing.key".
 * Null when there is nothing, so that a new store loses nothing.
 */
export function leftBehind(dataDir: string): string | null {
  const paths = layout(dataDir);
  const found = [
    counted(namesIn(paths.traces).length, "trace"),
    counted(filesBelow(paths.blobs), "blob"),
    counted(namesIn(coldFolder(dataDir)).filter((name) => traceOfColdKey(name) !== null).length, "cold pack"),
    counted(namesIn(paths.testRuns).length, "test run"),
    ...["signing.key", "credentials.json"].filter((name) => existsSync(join(paths.root, name))),
  ].filter((part) => part !== null);
  return found.length > 0 ? found.join(", ") : null;
}

/**
 * A folder that lost its records is not to become a new store: its keys would be replaced, and its files would belong
 * to nothing.
 * @throws LostRecordsError
 */
export function refuseLostRecords(dataDir: string): void {
  if (!hasNoRecords(dataDir)) return;
  const words = lostRecords(dataDir);
  if (words !== null) throw new LostRecordsError(words);
}

/** Why a folder whose database is missing or empty cannot be used as it is, and what to do; null when it is simply new. */
export function lostRecords(dataDir: string): string | null {
  const { database } = dataFolder(dataDir);
  const broken = brokenRestore(dataDir);
  if (broken?.records)
    return (
      `${database} is missing: a restore was broken off, and the former records lie in ${broken.records}. ` +
      "`tracedeck doctor --repair` puts everything back as it was before the restore."
    );
  const left = leftBehind(dataDir);
  if (left === null) return null;
  const state = existsSync(database) ? "empty" : "missing";
  return (
    `${database} is ${state}, but the folder still holds ${left}: a new store would lose them. ` +
    "Put a backup back (`tracedeck restore FILE --force`), make the records anew from the trace folders " +
    "(`tracedeck doctor --rebuild`), or move these files away to begin anew."
  );
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function filesBelow(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;
}

function counted(count: number, noun: string): string | null {
  return count === 0 ? null : `${count} ${noun}${count === 1 ? "" : "s"}`;
}
