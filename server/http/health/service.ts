import type { Deps } from "../../deps.ts";

/** Within which the scheduler has looked at the clock, else it does not. */
const TICK_MS = 5000;

/** What the server needs to work: a database that takes writes, at the version of this program, and a scheduler that looks at the clock. */
export function checkReadiness(
  deps: Pick<Deps, "store" | "log" | "clock" | "watchState">,
): Record<string, boolean> {
  const { tickedAt } = deps.watchState;
  return {
    database_writable: isWritable(deps),
    migrations_done: deps.store.isMigrated(),
    scheduler_ticks: tickedAt !== null && deps.clock.monotonic() - tickedAt < TICK_MS,
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
