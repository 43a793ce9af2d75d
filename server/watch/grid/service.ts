import {
  cellsOf,
  type GridCellRow,
  type OpenIncident,
  openIncidents,
  runningCells,
  silentCells,
  watchedChecks,
} from "../../../store/records/grid.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";
import type { Cell, CellStatus, Grid } from "./model.ts";

/** Checks that a grid is drawn of at most. */
const MAX_CHECKS = 2000;

const keyOf = ({ scenario_id, region }: { scenario_id: string; region: string }) =>
  `${scenario_id} ${region}`;

/** The scenarios that checks of an org run by the clock, by their regions. A fixed number of queries, however many cells there are. */
export async function showGrid({ store, clock }: Deps, orgId: string): Promise<Grid> {
  const { records } = store;
  const now = clock.now();
  const checks = await watchedChecks(records, orgId, MAX_CHECKS);
  const kept = new Map((await cellsOf(records, orgId)).map((row) => [keyOf(row), row]));
  const incidents = tellingIncidents(await openIncidents(records, orgId));
  const running = new Set((await runningCells(records, orgId)).map(keyOf));
  const silent = new Set((await silentCells(records, orgId)).map(keyOf));

  const readHistory = createHistoryReader();
  const cells = new Map<string, Cell>();
  const scenarios = new Map<string, Grid["scenarios"][number]>();
  const regions = new Set<string>();
  for (const { scenario_id, slug, title, regions: names, paused_until } of checks) {
    scenarios.set(scenario_id, { id: scenario_id, slug, title });
    const isPaused = paused_until !== null && paused_until > now;
    for (const region of JSON.parse(names) as string[]) {
      const key = keyOf({ scenario_id, region });
      // Of two checks of one cell, one that runs is enough.
      if (cells.has(key) && isPaused) continue;
      const [row, incident] = [kept.get(key), incidents.get(key)];
      const status = statusOf({
        isPaused,
        incident,
        isRunning: running.has(key),
        isSilent: silent.has(key),
        row,
      });
      cells.set(key, toCell({ scenario_id, region }, status, row, incident, readHistory));
      regions.add(region);
    }
  }
  return {
    generated_at: toIso(now),
    regions: [...regions].sort(),
    scenarios: [...scenarios.values()],
    cells: [...cells.values()],
  };
}

/** The incident that speaks for each cell: an outage speaks for those that it holds. */
function tellingIncidents(incidents: readonly OpenIncident[]): Map<string, OpenIncident> {
  const byId = new Map(incidents.map((incident) => [incident.id, incident]));
  return new Map(
    incidents.map((incident) => [keyOf(incident), byId.get(incident.parent_incident_id ?? "") ?? incident]),
  );
}

interface Known {
  isPaused: boolean;
  incident: OpenIncident | undefined;
  isRunning: boolean;
  isSilent: boolean;
  row: GridCellRow | undefined;
}

function statusOf({ isPaused, incident, isRunning, isSilent, row }: Known): CellStatus {
  if (isPaused) return "paused";
  if (incident?.status === "suppressed") return "suppressed";
  if (incident)
    return incident.type === "latency_p99" || incident.type === "shadow_diff" ? "degraded" : "failing";
  if (isRunning) return "running";
  if (!row || isSilent || row.last_status === "error") return "no_data";
  return row.last_status === "passed" ? "passing" : "failing";
}

/** Most histories of a grid are alike, and are read once. */
function createHistoryReader() {
  const known = new Map<string, Cell["history"]>();
  return (text: string): Cell["history"] => {
    const history = known.get(text) ?? (JSON.parse(text) as Cell["history"]);
    known.set(text, history);
    return history;
  };
}

function toCell(
  of: { scenario_id: string; region: string },
  status: CellStatus,
  row: GridCellRow | undefined,
  incident: OpenIncident | undefined,
  readHistory: (text: string) => Cell["history"],
): Cell {
  return {
    ...of,
    status,
    last_run_id: row?.last_run_id ?? null,
    last_run_at: row ? toIso(row.last_run_at) : null,
    p50_ms: row?.p50_ms ?? null,
    p99_ms: row?.p99_ms ?? null,
    incident_id: incident?.id ?? null,
    history: row ? readHistory(row.history) : [],
  };
}
