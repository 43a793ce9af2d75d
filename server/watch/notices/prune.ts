import { pruneLoneNotices } from "../../../store/records/notices.ts";
import type { Deps } from "../../deps.ts";
import type { PeriodicTask } from "../../jobs/types.ts";

const HOUR_MS = 60 * 60_000;
/** As long as one can see what was told. */
const KEPT_MS = 90 * 24 * HOUR_MS;
const PRUNED_AT_ONCE = 1000;

/** Forgets notices that belong to no incident: nothing else removes them. */
export function pruneNoticesTask({ store, clock }: Pick<Deps, "store" | "clock">): PeriodicTask {
  return {
    name: "old notices",
    everyMs: HOUR_MS,
    of: "store",
    async run() {
      const before = clock.now() - KEPT_MS;
      while ((await pruneLoneNotices(store.records, before, PRUNED_AT_ONCE)) === PRUNED_AT_ONCE);
    },
  };
}
