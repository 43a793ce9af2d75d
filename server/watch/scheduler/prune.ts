import { pruneSkipped } from "../../../store/records/check-ticks.ts";
import type { Deps } from "../../deps.ts";
import type { PeriodicTask } from "../../jobs/types.ts";

const HOUR_MS = 60 * 60_000;

/** Forgets fires that were left out, when the runs of their time are forgotten. */
export function pruneSkippedTask({
  store,
  clock,
  config,
}: Pick<Deps, "store" | "clock" | "config">): PeriodicTask {
  return {
    name: "skipped ticks",
    everyMs: HOUR_MS,
    of: "store",
    run: () => pruneSkipped(store.records, clock.now() - config.settings.retention.runs_days * 24 * HOUR_MS),
  };
}
