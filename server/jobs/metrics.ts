import type { Records } from "../../store/records/db.ts";
import { countJobs } from "../../store/records/jobs.ts";
import type { Metrics } from "../http/metrics.ts";

/** `tracedeck_jobs`: how many jobs are in each state, by kind. Dead ones are those that somebody has to look at. */
export function measureJobs(metrics: Pick<Metrics, "gauge">, records: Records): void {
  metrics.gauge(
    "jobs",
    "Jobs by state and kind; done ones are forgotten after two hours.",
    async () => {
      const counts = await countJobs(records);
      return counts.map(({ state, kind, count }) => ({ labels: { state, kind }, value: count }));
    },
    ["state", "kind"],
  );
}
