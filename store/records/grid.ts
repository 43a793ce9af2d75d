import type { Selectable } from "kysely";
import type { AlertResultRow } from "./alert-results.ts";
import type { Db, Trx } from "./db.ts";
import type { HistoryStatus } from "./grid-schema.ts";
import type { IncidentRow } from "./incidents.ts";
import type { Database } from "./schema.ts";

export type GridCellRow = Omit<Selectable<Database["grid_cells"]>, "org_id">;

const HISTORY = 30;
/** Results that the percentiles are of. */
const SAMPLES = 100;

/**
 * Makes the cell of a scenario and region anew, from what its results say by now; within the transaction that writes a result.
 * Fires that were left out in a row are one place of its history.
 */
export async function drawCell(
  trx: Trx,
  { scenario_id, region, org_id }: Pick<AlertResultRow, "scenario_id" | "region" | "org_id">,
): Promise<void> {
  const results = await trx
    .selectFrom("alert_results")
    .select(["run_id", "at", "status", "duration_ms"])
    .where("scenario_id", "=", scenario_id)
    .where("region", "=", region)
    .where("kind", "=", "run")
    .orderBy("at", "desc")
    .orderBy("run_id", "desc")
    .limit(SAMPLES)
    .execute();
  const [newest] = results;
  if (!newest) return;
  const skips = await trx
    .selectFrom("skipped_ticks")
    .innerJoin("scheduled_checks", "scheduled_checks.id", "skipped_ticks.check_id")
    .select("skipped_ticks.first_at")
    .where("scheduled_checks.scenario_id", "=", scenario_id)
    .where("skipped_ticks.region", "=", region)
    .where("skipped_ticks.first_at", "<=", newest.at)
    .orderBy("skipped_ticks.first_at", "desc")
    .limit(HISTORY)
    .execute();
  const history = [
    ...results.map(({ at, status }) => ({ at, status: HISTORY_STATUS[status] })),
    ...skips.map(({ first_at }) => ({ at: first_at, status: "no_data" as const })),
  ]
    .sort((a, b) => a.at - b.at)
    .slice(-HISTORY);
  const passes = results.filter(({ status }) => status === "passed").map(({ duration_ms }) => duration_ms);
  passes.sort((a, b) => a - b);
  const cell = {
    ...{ last_run_id: newest.run_id, last_run_at: newest.at, last_status: newest.status },
    history: JSON.stringify(history.map(({ status }) => status)),
    ...{ p50_ms: percentile(passes, 0.5), p99_ms: percentile(passes, 0.99) },
  };
  await trx
    .insertInto("grid_cells")
    .values({ org_id, scenario_id, region, ...cell })
    .onConflict((conflict) => conflict.columns(["org_id", "scenario_id", "region"]).doUpdateSet(cell))
    .execute();
}

const HISTORY_STATUS: Record<AlertResultRow["status"], HistoryStatus> = {
  passed: "passing",
  failed: "failing",
  error: "no_data",
};

/** The nearest rank of sorted numbers; null of none. */
function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

export interface WatchedCheck {
  id: string;
  scenario_id: string;
  slug: string;
  title: string;
  cron: string;
  timezone: string;
  /** JSON array of names. */
  regions: string;
  paused_until: number | null;
  last_tick_at: number | null;
}

/** Checks of an org that are on, with the names of their scenarios, by title. */
export function watchedChecks(db: Db, orgId: string, limit: number): Promise<WatchedCheck[]> {
  return db
    .selectFrom("scheduled_checks")
    .innerJoin("scenarios", "scenarios.id", "scheduled_checks.scenario_id")
    .select(["scheduled_checks.id", "scenario_id", "scenarios.slug", "scenarios.title"])
    .select(["cron", "timezone", "regions", "paused_until", "last_tick_at"])
    .where("scheduled_checks.org_id", "=", orgId)
    .where("enabled", "=", 1)
    .orderBy("scenarios.title")
    .orderBy("scenario_id")
    .orderBy("scheduled_checks.id")
    .limit(limit)
    .execute();
}

export function cellsOf(db: Db, orgId: string): Promise<GridCellRow[]> {
  return db
    .selectFrom("grid_cells")
    .select(["scenario_id", "region", "last_run_id", "last_run_at", "last_status"])
    .select(["history", "p50_ms", "p99_ms"])
    .where("org_id", "=", orgId)
    .execute();
}

export type OpenIncident = Pick<
  IncidentRow,
  | "id"
  | "type"
  | "status"
  | "scenario_id"
  | "region"
  | "parent_incident_id"
  | "opened_at"
  | "failing_at"
  | "acknowledged_at"
>;

/** Incidents of an org that have not ended, oldest first. */
export function openIncidents(db: Db, orgId: string): Promise<OpenIncident[]> {
  return db
    .selectFrom("incidents")
    .select(["id", "type", "status", "scenario_id", "region"])
    .select(["parent_incident_id", "opened_at", "failing_at", "acknowledged_at"])
    .where("org_id", "=", orgId)
    .where("status", "in", ["open", "acknowledged", "suppressed"])
    .orderBy("id")
    .execute();
}

/** Where runs of checks are under way. */
export function runningCells(db: Db, orgId: string): Promise<{ scenario_id: string; region: string }[]> {
  return db
    .selectFrom("runs")
    .select(["scenario_id", "region"])
    .where("org_id", "=", orgId)
    .where("check_id", "is not", null)
    .where("status", "=", "running")
    .execute();
}
