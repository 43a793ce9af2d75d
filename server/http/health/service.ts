import type { Deps } from "../../deps.ts";

/** What the server needs to work: a database that takes writes, at the version of this program. */
export function checkReadiness(deps: Pick<Deps, "store" | "log">): Record<string, boolean> {
  return {
    database_writable: isWritable(deps),
    migrations_done: deps.store.isMigrated(),
  };
}

function isWritable({ store, log }: Pick<Deps, "store" | "log">): boolean {
  try {
    store.probeWrite();
    return true;
  } catch (error) {
    log.error("the database cannot be written", { error });
    return false;
  }
}
