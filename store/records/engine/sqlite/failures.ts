import type { RecordsFault } from "../../errors.ts";

/** By the beginnings of SQLite's result codes (https://sqlite.org/rescode.html), longer ones first. */
const FAULTS: readonly (readonly [start: string, fault: RecordsFault])[] = [
  ["SQLITE_FULL", "full"],
  ["SQLITE_IOERR", "disk"],
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_CONSTRAINT_UNIQUE", "unique"],
  ["SQLITE_CONSTRAINT_PRIMARYKEY", "unique"],
  ["SQLITE_CONSTRAINT_ROWID", "unique"],
  ["SQLITE_CONSTRAINT", "constraint"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_NOTADB", "no_database"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_CANTOPEN", "cannot_open"],
  ["SQLITE_", "other"],
];

export function faultOf(code: string): RecordsFault | null {
  return FAULTS.find(([start]) => code.startsWith(start))?.[1] ?? null;
}
