import { SCHEMA_VERSION, schemaVersion } from "../../../store/records/engine/sqlite/migrate.ts";
import type { Deps } from "../../deps.ts";

/** What the server needs to work: a database that takes writes, at the version of this program. */
export function checkReadiness(deps: Pick<Deps, "store" | "log">): Record<string, boolean> {
  return {
    database_writable: isWritable(deps),
    migrations_done: schemaVersion(deps.store.sqlite) === SCHEMA_VERSION,
  };
}

/** Writes the schema version over itself: a write that changes nothing, yet needs the disk. */
function isWritable({ store, log }: Pick<Deps, "store" | "log">): boolean {
  if (store.sqlite.inTransaction) return true;
  try {
    store.sqlite.exec(`PRAGMA user_version = ${schemaVersion(store.sqlite)}`);
    return true;
  } catch (error) {
    log.error("the database cannot be written", { error });
    return false;
  }
}
