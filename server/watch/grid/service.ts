import { type SkippedTicks, skippedTicksOf } from "../../../store/records/checks.ts";
import type { Db } from "../../../store/records/db.ts";
import {
  cellsOf,
  type GridCellRow,
  type OpenIncident,
  openIncidents,
  runningCells,
  type WatchedCheck,
  watchedChecks,
} from "../../../store/records/grid.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";
import type { CellStatus } from "./model.ts";

/** Checks that a grid is drawn of at most. */
const MAX_CHECKS = 2000;

const keyOf = ({ scenario_id, region }: { scenario_id: string; region: string }) =>
  `${scenario_id} ${region}`;

/**
 * The scenarios that checks of an org run by the clock, by their regions, as JSON (`Grid`). A fixed number of queries, however many cells
 * there are. It is put together as text: histories lie in the records as JSON, and taking thousands of them apart to check them and
 * to write them again is two thirds of what an answer would cost.
 */
export async function gridText(
  { store, clock }: Pick<Deps, "store" | "clock">,
  orgId: string,
): Promise<string> {
  const { records } = store;
  const now = clock.now();
  const checks = await watchedChecks(records, orgId, MAX_CHECKS);
  const kept = Map.groupBy(await cellsOf(records, orgId), ({ scenario_id }) => scenario_id);
  const incidents = tellingIncidents(await openIncidents(records, orgId));
  const running = new Set((await runningCells(records, orgId)).map(keyOf));
  const skips = await lateSkips(records, checks, kept);

  const cells = new Map<string, Map<string, string>>();
  const scenarios = new Map<string, string>();
  const regions = new Set<string>();
  // Most checks have the same.
  const regionsOf = new Map<string, string[]>();
  for (const check of checks) {
    const { scenario_id, slug, title } = check;
    const isPaused = check.paused_until !== null && check.paused_until > now;
    const rows = kept.get(scenario_id) ?? [];
    const texts = cells.get(scenario_id) ?? new Map<string, string>();
    cells.set(scenario_id, texts);
    scenarios.set(scenario_id, JSON.stringify({ id: scenario_id, slug, title }));
    const named = regionsOf.get(check.regions) ?? (JSON.parse(check.regions) as string[]);
    regionsOf.set(check.regions, named);
    for (const region of named) {
      // Of two checks of one cell, one that runs is enough.
      if (texts.has(region) && isPaused) continue;
      const of = { scenario_id, region };
      const row = rows.find((one) => one.region === region);
      const incident = incidents.size === 0 ? undefined : incidents.get(keyOf(of));
      const isRunning = running.size > 0 && running.has(keyOf(of));
      const status = statusOf({ isPaused, incident, isRunning, isSilent: isSilent(skips, row), row });
      texts.set(region, cellText(of, status, row, incident));
      regions.add(region);
    }
  }
  const all = [...cells.values()].flatMap((texts) => [...texts.values()]);
  return `{"generated_at":"${toIso(now)}","regions":${JSON.stringify([...regions].sort())},"scenarios":[${[...scenarios.values()].join()}],"cells":[${all.join()}]}`;
}

/** The incident that speaks for each cell: an outage speaks for those that it holds. */
function tellingIncidents(incidents: readonly OpenIncident[]): Map<string, OpenIncident> {
  const byId = new Map(incidents.map((incident) => [incident.id, incident]));
  return new Map(
    incidents.map((incident) => [keyOf(incident), byId.get(incident.parent_incident_id ?? "") ?? incident]),
  );
}

/** A fire that was left out, with the scenario of its check. */
type Skip = SkippedTicks & { scenario_id: string };

/** Fires that were left out since the newest result of a scenario. Most had one since their newest fire: nothing is looked up for them. */
async function lateSkips(
  db: Db,
  checks: readonly WatchedCheck[],
  kept: ReadonlyMap<string, readonly GridCellRow[]>,
): Promise<Skip[]> {
  const late = new Map<string, string>();
  let from = Number.POSITIVE_INFINITY;
  for (const { id, scenario_id, last_tick_at } of checks) {
    const oldest = Math.min(...(kept.get(scenario_id) ?? []).map(({ last_run_at }) => last_run_at));
    if (last_tick_at === null || last_tick_at <= oldest) continue;
    late.set(id, scenario_id);
    from = Math.min(from, oldest);
  }
  const skips = await skippedTicksOf(db, [...late.keys()], from);
  return skips.map((skip) => ({ ...skip, scenario_id: late.get(skip.check_id)! }));
}

const isSilent = (skips: readonly Skip[], row: GridCellRow | undefined): boolean =>
  row !== undefined &&
  skips.some(
    ({ scenario_id, region, first_at }) =>
      scenario_id === row.scenario_id && region === row.region && first_at > row.last_run_at,
  );

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
  if (incident) return incident.failing_at === null ? "degraded" : "failing";
  if (isRunning) return "running";
  if (!row || isSilent || row.last_status === "error") return "no_data";
  return row.last_status === "passed" ? "passing" : "failing";
}

/** A `Cell` as JSON. Nothing in it needs to be escaped: ids are UUIDs, a region is letters, digits and hyphens, and a history is kept as JSON. */
function cellText(
  { scenario_id, region }: { scenario_id: string; region: string },
  status: CellStatus,
  row: GridCellRow | undefined,
  incident: OpenIncident | undefined,
): string {
  const incidentId = incident ? `"${incident.id}"` : null;
  if (!row)
    return `{"scenario_id":"${scenario_id}","region":"${region}","status":"${status}","incident_id":${incidentId},"last_run_id":null,"last_run_at":null,"p50_ms":null,"p99_ms":null,"history":[]}`;
  const { last_run_id, last_run_at, p50_ms, p99_ms, history } = row;
  return `{"scenario_id":"${scenario_id}","region":"${region}","status":"${status}","incident_id":${incidentId},"last_run_id":"${last_run_id}","last_run_at":"${toIso(last_run_at)}","p50_ms":${p50_ms},"p99_ms":${p99_ms},"history":${history}}`;
}
