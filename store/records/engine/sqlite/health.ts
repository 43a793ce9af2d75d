import type { Database } from "bun:sqlite";
import { SCHEMA_VERSION, schemaVersion } from "./migrate.ts";

export const isMigrated = (raw: Database): boolean => schemaVersion(raw) === SCHEMA_VERSION;

/**
 * Writes the schema version over itself: a write that changes nothing, yet needs the disk. A transaction that is going on
 * shows by itself whether the disk takes it. @throws SQLiteError
 */
export function probeWrite(raw: Database): void {
  if (!raw.inTransaction) raw.exec(`PRAGMA user_version = ${schemaVersion(raw)}`);
}
