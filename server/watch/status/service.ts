import {
  cellsOf,
  type GridCellRow,
  type OpenIncident,
  openIncidents,
  type WatchedCheck,
  watchedChecks,
} from "../../../store/records/grid.ts";
import { findOrg, findOrgBySlug, someOrgIds } from "../../../store/records/identity.ts";
import { maintenanceOf } from "../../../store/records/maintenance.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";
import { holdOf, longestGap } from "../availability/around.ts";
import { plannedOf, since, toScheduled } from "./maintenance.ts";
import type { ComponentStatus, Indicator, StatusSummary } from "./model.ts";

/** Checks that are told of at most. */
const MAX_CHECKS = 2000;
/** Maintenance windows that are told of at most. */
const MOST_PLANNED = 50;

type Component = StatusSummary["components"][number];
/** All but where this server is found, which each client names for itself. */
export type KnownStatus = Omit<StatusSummary, "page"> & { page: Omit<StatusSummary["page"], "url"> };
type Incident = StatusSummary["incidents"][number];

const RANK: ComponentStatus[] = [
  "operational",
  "under_maintenance",
  "degraded_performance",
  "partial_outage",
  "major_outage",
];
const IMPACT: Record<ComponentStatus, Indicator> = {
  operational: "none",
  under_maintenance: "none",
  degraded_performance: "minor",
  partial_outage: "major",
  major_outage: "critical",
};
const DESCRIPTION: Record<Indicator, string> = {
  none: "All systems operational",
  minor: "Degraded performance",
  major: "Partial system outage",
  critical: "Major system outage",
};

/** An org whose status is public. */
export type OpenOrg = NonNullable<Awaited<ReturnType<typeof findOpenOrg>>>;

/**
 * The org whose status is asked for, when it is public: that of the first org is unless somebody closed it, those of others are once
 * somebody opened them.
 * @param slug null for the first org
 */
export async function findOpenOrg({ store }: Pick<Deps, "store">, slug: string | null) {
  const { records } = store;
  const [first = ""] = await someOrgIds(records);
  const org = slug === null ? await findOrg(records, first) : await findOrgBySlug(records, slug);
  if (!org) return null;
  const isOpen = org.status_page === null ? org.id === first : org.status_page === 1;
  return isOpen ? org : null;
}

/**
 * How what an org watches is, for everybody: titles, states and times, nothing else. What has no result, or none of late, is left out,
 * since nothing is known of it; the whole says so. What begins to fail while its maintenance goes on is no outage.
 */
export async function showStatus(
  { store, clock }: Pick<Deps, "store" | "clock">,
  org: OpenOrg,
): Promise<KnownStatus> {
  const { records } = store;
  const orgId = org.id;
  const now = clock.now();
  const planned = plannedOf(await maintenanceOf(records, orgId), now);
  const checks = await watchedChecks(records, orgId, MAX_CHECKS);
  const cells = Map.groupBy(await cellsOf(records, orgId), ({ scenario_id }) => scenario_id);
  // What an outage holds is told by the outage.
  const open = (await openIncidents(records, orgId)).filter((one) => one.parent_incident_id === null);
  const told = open.map((one) => asTold(one, since(planned, one.scenario_id, now)));
  const troubles = Map.groupBy(told, ({ scenario_id }) => scenario_id);

  const components = new Map<string, Component>();
  const incidents: Incident[] = [];
  const unmeasured = new Set<string>();
  const isSilent = silence(checks, now);
  for (const { scenario_id, title, slug } of checks) {
    const known = cells.get(scenario_id);
    if (!known || components.has(scenario_id) || unmeasured.has(scenario_id)) continue;
    const quietSince = since(planned, scenario_id, now);
    const own = (troubles.get(scenario_id) ?? []).filter(
      ({ opened_at }) => quietSince === null || opened_at < quietSince,
    );
    if (own.length === 0 && quietSince === null && known.every(isSilent)) {
      unmeasured.add(scenario_id);
      continue;
    }
    const name = title || slug;
    components.set(scenario_id, {
      id: scenario_id,
      name,
      status: worst([...own.map(componentStatus), quietSince === null ? "operational" : "under_maintenance"]),
      position: components.size + 1,
      group_id: null,
      updated_at: toIso(newest(known)),
    });
    for (const incident of own) incidents.push(toIncident(incident, name, known));
  }
  const all = [...components.values()];
  const whole = worst(all.map(({ status }) => status));
  const indicator = IMPACT[whole];
  const updatedAt = Math.max(org.created_at, ...[...cells.values()].map(newest));
  return {
    page: {
      id: orgId,
      name: org.name,
      time_zone: "Etc/UTC",
      updated_at: toIso(updatedAt),
    },
    status: { indicator, description: describe(whole, all.length, unmeasured.size) },
    components: all,
    incidents,
    scheduled_maintenances: planned
      .map((one) => toScheduled(one, all, now))
      .filter(({ components }) => components.length > 0)
      .slice(0, MOST_PLANNED),
  };
}

function describe(whole: ComponentStatus, measured: number, unmeasured: number): string {
  if (measured === 0)
    return unmeasured === 0 ? "Nothing is watched yet" : "Nothing is measured at the moment";
  if (whole === "operational" && unmeasured > 0)
    return `What is measured is operational; ${unmeasured} of ${measured + unmeasured} are not measured at the moment`;
  return whole === "under_maintenance" ? "Maintenance is going on" : DESCRIPTION[IMPACT[whole]];
}

/** Whether nothing is known of a cell by now: its newest run could not be made, or should have been followed by others since. */
function silence(checks: readonly WatchedCheck[], now: number): (cell: GridCellRow) => boolean {
  // Most checks have the same schedule, and most scenarios one check.
  const gaps = new Map<string, number>();
  const gapOf = (check: WatchedCheck): number => {
    const key = `${check.cron} ${check.timezone}`;
    const gap = gaps.get(key) ?? longestGap(check, now);
    gaps.set(key, gap);
    return gap;
  };
  const byScenario = Map.groupBy(checks, ({ scenario_id }) => scenario_id);
  return ({ scenario_id, last_status, last_run_at, p99_ms }) => {
    if (last_status === "error") return true;
    const longest = Math.max(...byScenario.get(scenario_id)!.map(gapOf));
    return now - last_run_at > holdOf(longest) + (p99_ms ?? 0);
  };
}

const newest = (cells: readonly GridCellRow[]): number =>
  cells.reduce((last, { last_run_at }) => Math.max(last, last_run_at), 0);

const worst = (statuses: readonly ComponentStatus[]): ComponentStatus =>
  RANK[Math.max(0, ...statuses.map((status) => RANK.indexOf(status)))]!;

/** An incident as everybody is told of it: what was slow before maintenance and fails within it is slow until that is over. */
function asTold(incident: OpenIncident, quietSince: number | null): OpenIncident {
  const { failing_at } = incident;
  const isQuiet = quietSince !== null && failing_at !== null && failing_at >= quietSince;
  return isQuiet ? { ...incident, failing_at: null } : incident;
}

function componentStatus({ type, failing_at }: Pick<OpenIncident, "type" | "failing_at">): ComponentStatus {
  if (type === "global_outage") return "major_outage";
  return failing_at === null ? "degraded_performance" : "partial_outage";
}

function toIncident(incident: OpenIncident, name: string, cells: readonly GridCellRow[]): Incident {
  const { id, type, region, opened_at, failing_at, acknowledged_at } = incident;
  const isGlobal = type === "global_outage";
  const meant = cells.filter((cell) => isGlobal || cell.region === region);
  const isBack = meant.length > 0 && meant.every(({ last_status }) => last_status === "passed");
  const updates: Incident["incident_updates"] = [
    update(id, "investigating", "We see that something is wrong.", opened_at),
  ];
  if (acknowledged_at !== null)
    updates.unshift(update(id, "identified", "Somebody is at it.", acknowledged_at));
  if (isBack && failing_at !== null)
    updates.unshift(update(id, "monitoring", "It works again; we go on looking.", newest(meant)));
  const [last] = updates;
  return {
    id,
    name: isGlobal
      ? `${name}: outage in several regions`
      : `${name}: ${WORDS[componentStatus(incident)]} in ${region}`,
    status: last!.status,
    impact: IMPACT[componentStatus(incident)],
    created_at: toIso(opened_at),
    updated_at: last!.created_at,
    incident_updates: updates,
  };
}

const WORDS: Partial<Record<ComponentStatus, string>> = {
  degraded_performance: "degraded",
  partial_outage: "failing",
};

const update = (
  id: string,
  status: Incident["status"],
  body: string,
  at: number,
): Incident["incident_updates"][number] => ({ id: `${id}-${status}`, status, body, created_at: toIso(at) });
