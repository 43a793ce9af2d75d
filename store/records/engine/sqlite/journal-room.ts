import type { Database } from "bun:sqlite";

/**
 * Lets somebody append zeros to the write-ahead log, which later transactions fill: those need no room of the disk. SQLite reads a log up
 * to the first frame whose checksum does not hold, so zeros behind it say nothing (https://sqlite.org/fileformat2.html#walformat).
 * It happens under SQLite's lock of writers, so that no other writer appends there. A file system that never writes in place
 * (btrfs, ZFS) takes room for later transactions all the same.
 * @param append is given the path of the log, and is done when it returns
 * @throws SQLiteError when another process keeps the lock
 */
export function growJournal(raw: Database, append: (path: string) => void): void {
  raw.exec("BEGIN IMMEDIATE");
  try {
    append(`${raw.filename}-wal`);
  } finally {
    raw.exec("ROLLBACK");
  }
}
