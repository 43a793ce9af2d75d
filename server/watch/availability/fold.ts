import { pruneRests } from "../../../store/records/check-rests.ts";
import {
  foldOf,
  hoursOf,
  moveFold,
  pruneHours,
  putHour,
  resultsBehind,
  type Series,
  unfoldedSeries,
} from "../../../store/records/result-hours.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { aroundOf } from "./around.ts";
import { addSums, fromRow, hourOf, toHours, toRow } from "./hours.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Results wait so long: one that ended before may be decided on after another. */
const LATE_MS = 10 * MINUTE_MS;
const RESULTS_AT_ONCE = 2000;
const SERIES_AT_ONCE = 200;
/** The longest window that may be asked for. */
export const MOST_DAYS = 90;

type FoldDeps = Pick<Deps, "store" | "clock" | "hub" | "jobs">;

/**
 * Puts results into the hours of their series: what they came to is known then without reading them again, also when they have been
 * removed. Each step is one transaction that moves the series on; of two at once, one does it.
 */
export function foldTask(deps: FoldDeps): PeriodicTask {
  const { records } = deps.store;
  const until = () => deps.clock.now() - LATE_MS;
  return {
    name: "availability.fold",
    everyMs: 5 * MINUTE_MS,
    of: "store",
    isDue: async () => (await unfoldedSeries(records, until(), 1)).length > 0,
    async run() {
      for (;;) {
        const series = await unfoldedSeries(records, until(), SERIES_AT_ONCE);
        if (series.length === 0) return;
        let moved = 0;
        for (const one of series) moved += (await foldSome(deps, one, until())) ? 1 : 0;
        // Others are at it.
        if (moved === 0) return;
      }
    },
  };
}

/** Puts the next results of a series into its hours; whether there were any. */
export async function foldSome(
  deps: FoldDeps,
  series: Series & { org_id: string },
  until: number,
): Promise<boolean> {
  const { records } = deps.store;
  const before = await foldOf(records, series);
  const results = await resultsBehind(records, series, { after: before, until, limit: RESULTS_AT_ONCE });
  const newest = results.at(-1);
  if (!newest) return false;
  const from = before?.at ?? results[0]!.at;
  const around = await aroundOf(records, series, { from, to: newest.at });
  const hours = toHours(before, results, around, newest.at);
  return commit(deps, async (trx) => {
    const { run_id, at, status } = newest;
    if (!(await moveFold(trx, { ...series, run_id, at, status }, before))) return false;
    const known = new Map((await hoursOf(trx, series, hourOf(from))).map((row) => [row.hour, row]));
    for (const [hour, sums] of hours) {
      const row = known.get(hour);
      if (row) addSums(sums, fromRow(row));
      await putHour(trx, { ...series, hour, ...toRow(sums) });
    }
    return true;
  });
}

/** Forgets what no window reaches any more: hours are kept as long as runs, and as long as the longest window at least. */
export function pruneHoursTask({
  store,
  clock,
  config,
}: Pick<Deps, "store" | "clock" | "config">): PeriodicTask {
  return {
    name: "availability.prune",
    everyMs: 60 * MINUTE_MS,
    of: "store",
    async run() {
      const days = Math.max(config.settings.retention.runs_days, MOST_DAYS) + 1;
      const before = clock.now() - days * DAY_MS;
      while ((await pruneHours(store.records, before, RESULTS_AT_ONCE)) === RESULTS_AT_ONCE);
      await pruneRests(store.records, before);
    },
  };
}
