import { pruneIdentity } from "../store/records/identity.ts";
import type { Deps } from "./deps.ts";
import type { JobHandlers, PeriodicTask } from "./jobs/types.ts";

/** Every kind of job and who handles it. */
export function jobHandlers(_deps: Deps): JobHandlers {
  return [];
}

/** What recurs while the server runs. */
export function periodicTasks(deps: Deps): PeriodicTask[] {
  return [
    { name: "key uses", everyMs: 60_000, run: () => deps.credentials.flushUses() },
    {
      name: "ended sessions",
      everyMs: 60 * 60_000,
      run: () => pruneIdentity(deps.store.records, deps.clock.now()),
    },
  ];
}
