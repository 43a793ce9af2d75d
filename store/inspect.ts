import { existsSync } from "node:fs";
import { layout } from "./layout.ts";
import { type InspectedFile, inspectFile, newestTraceIn } from "./records/engine/sqlite/file.ts";
import { SCHEMA_VERSION } from "./records/engine/sqlite/migrate.ts";

/** The records of a data folder as their engine sees them, and the version that this program has. */
export interface InspectedRecords extends InspectedFile {
  wanted: number;
}

/** Looks at the records of a folder that has some, without migrating or making anything. @throws SQLiteError */
export function inspectRecords(dataDir: string): InspectedRecords {
  return { ...inspectFile(layout(dataDir).database), wanted: SCHEMA_VERSION };
}

/** When the newest trace of a folder was made, epoch ms; null where there is none. @throws SQLiteError */
export function newestTraceAt(dataDir: string): number | null {
  const path = layout(dataDir).database;
  return existsSync(path) ? newestTraceIn(path) : null;
}
