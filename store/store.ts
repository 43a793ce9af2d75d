import { mkdirSync } from "node:fs";
import { coldFolder } from "./cold-folder.ts";
import type { Files } from "./files/files.ts";
import { createLocalFiles } from "./files/local.ts";
import { createStoredEvents, type StoredEvents } from "./files/stored-events.ts";
import { createWork, type Work } from "./files/work.ts";
import { type Layout, layout } from "./layout.ts";
import { refuseLostRecords } from "./lost-records.ts";
import type { Records } from "./records/db.ts";
import { isMigrated, probeWrite } from "./records/engine/sqlite/health.ts";
import { migrate } from "./records/engine/sqlite/migrate.ts";
import { openSqlite, type Sqlite } from "./records/engine/sqlite/open.ts";
import { createReserve, openWithReserve, type Reserve } from "./reserve.ts";

/** All durable state of one data folder. It has no clock and makes no ids: callers hand both in. */
export interface Store {
  /** For the rooms of the store. Everybody else has `files` and `work`. */
  layout: Layout;
  records: Records;
  /** The files of traces and blobs and the bytes in them, by key. */
  files: Files;
  /** What is in the making. */
  work: Work;
  /** Whether the records have the version of this program. */
  isMigrated(): boolean;
  /** Has the records write what changes nothing. @throws what the engine throws when it cannot write */
  probeWrite(): void;
  events: StoredEvents;
  reserve: Reserve;
  close(): Promise<void>;
}

/**
 * Opens the store, making the folder and the database where missing and migrating an older one.
 * @param coldDir the folder that holds the packs of cold traces; without it, the one by settings.json
 * @throws LostRecordsError when the folder holds what a store keeps and no records, NewerDatabaseError, or SQLiteError
 * when the database is damaged.
 */
export function openStore(dataDir: string, coldDir = coldFolder(dataDir)): Store {
  return open(dataDir, coldDir, { prepare: migrate, isAlone: true });
}

/** The records are not of this program's version, and whoever holds the folder works with them. */
export class OtherVersionError extends Error {
  override name = "OtherVersionError";
}

/**
 * Opens a store that a running server holds, beside it, and leaves the records as they are: a server of an older version
 * goes on with them.
 * @throws OtherVersionError when the records are of another version
 */
export function openStoreBeside(dataDir: string): Store {
  const prepare = (raw: Sqlite["raw"]) => {
    if (isMigrated(raw)) return;
    throw new OtherVersionError(
      `The server that holds ${dataDir} is of another version than this command. Use the tracedeck that it was started with, or stop it ` +
        "and start it again with this one.",
    );
  };
  return open(dataDir, coldFolder(dataDir), { prepare, isAlone: false });
}

function open(
  dataDir: string,
  coldDir: string,
  { prepare, isAlone }: { prepare: (raw: Sqlite["raw"]) => void; isAlone: boolean },
): Store {
  const paths = layout(dataDir);
  refuseLostRecords(dataDir);
  for (const folder of [paths.root, paths.tmp, paths.blobs, paths.traces, paths.testRuns])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  const openRecords = () => openSqlite(paths.database);
  // Beside a running server the reserve is that server's to give.
  const { database, isGiven } = isAlone
    ? openWithReserve(paths.reserve, openRecords)
    : { database: openRecords(), isGiven: false };
  try {
    prepare(database.raw);
  } catch (error) {
    database.raw.close();
    throw error;
  }
  const files = createLocalFiles({ root: paths.root, coldDir });
  const work = createWork(dataDir);
  const events = createStoredEvents(dataDir, files, work);
  const reserve = createReserve(
    paths.reserve,
    (give) => database.records.connection().execute(async () => give(database)),
    isGiven,
  );
  return {
    layout: paths,
    records: database.records,
    files,
    work,
    isMigrated: () => isMigrated(database.raw),
    probeWrite: () => probeWrite(database.raw),
    events,
    reserve,
    async close() {
      events.close();
      await database.close();
      reserve.takeBack();
    },
  };
}
