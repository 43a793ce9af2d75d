import type { Database } from "bun:sqlite";
import { appendZeros } from "../../../zeros.ts";

/**
 * Appends zeros to the write-ahead log, which later transactions fill: those need no room of the disk. SQLite reads a log up to the
 * first frame whose checksum does not hold, so zeros behind it say nothing (https://sqlite.org/fileformat2.html#walformat).
 * All happens at once and under SQLite's lock of writers, so that no other writer appends there. A file system that never
 * writes in place (btrfs, ZFS) takes room for later transactions all the same.
 * @param makeRoom is called first, under that lock
 * @returns by how many bytes it grew, fewer where the disk is full before
 * @throws SQLiteError when another process keeps the lock
 */
export function growJournal(raw: Database, bytes: number, makeRoom: () => void): number {
  raw.exec("BEGIN IMMEDIATE");
  try {
    makeRoom();
    return appendZeros(`${raw.filename}-wal`, bytes);
  } finally {
    raw.exec("ROLLBACK");
  }
}
