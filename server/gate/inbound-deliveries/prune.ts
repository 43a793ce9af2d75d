import { forgetGuids, pruneInbound } from "../../../store/records/inbound-deliveries.ts";
import type { Deps } from "../../deps.ts";
import type { PeriodicTask } from "../../jobs/types.ts";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 30;
/** With at most some 16 kB each. */
const MOST_KEPT = 5000;
const AT_ONCE = 1000;
/** As far back as a look for missed deliveries goes, and a day. */
const REMEMBERED_DAYS = 4;

/** Removes what was told long ago, or is more than is kept. */
export function pruneInboundTask({ store, clock }: Pick<Deps, "store" | "clock">): PeriodicTask {
  return {
    name: "inbound.prune",
    everyMs: 60 * 60_000,
    of: "store",
    async run() {
      const now = clock.now();
      const before = now - KEPT_DAYS * DAY_MS;
      while ((await pruneInbound(store.records, { before, most: MOST_KEPT, atOnce: AT_ONCE })) === AT_ONCE);
      const forgotten = now - REMEMBERED_DAYS * DAY_MS;
      await forgetGuids(store.records, { taken: forgotten, asked: forgotten });
    },
  };
}
