import {
  cellsOf,
  type GridCellRow,
  type OpenIncident,
  openIncidents,
  watchedChecks,
} from "../../../store/records/grid.ts";
import { findOrg, someOrgIds } from "../../../store/records/identity.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";
import type { ComponentStatus, Indicator, StatusSummary } from "./model.ts";

/** Checks that are told of at most. */
const MAX_CHECKS = 2000;

type Component = StatusSummary["components"][number];
/** All but where this server is found, which each client names for itself. */
export type KnownStatus = Omit<StatusSummary, "page"> & { page: Omit<StatusSummary["page"], "url"> };
type Incident = StatusSummary["incidents"][number];

const RANK: ComponentStatus[] = ["operational", "degraded_performance", "partial_outage", "major_outage"];
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

/**
 * How what the first org watches is, for everybody: titles, states and times, nothing else. What had no result yet is left out,
 * since nothing is known of it.
 */
export async function showStatus({ store }: Deps): Promise<KnownStatus> {
  const { records } = store;
  const [orgId = ""] = await someOrgIds(records);
  const org = await findOrg(records, orgId);
  const checks = await watchedChecks(records, orgId, MAX_CHECKS);
  const cells = Map.groupBy(await cellsOf(records, orgId), ({ scenario_id }) => scenario_id);
  // What an outage holds is told by the outage.
  const open = (await openIncidents(records, orgId)).filter((one) => one.parent_incident_id === null);
  const troubles = Map.groupBy(open, ({ scenario_id }) => scenario_id);

  const components = new Map<string, Component>();
  const incidents: Incident[] = [];
  for (const { scenario_id, title, slug } of checks) {
    const known = cells.get(scenario_id);
    if (!known || components.has(scenario_id)) continue;
    const own = troubles.get(scenario_id) ?? [];
    const name = title || slug;
    components.set(scenario_id, {
      id: scenario_id,
      name,
      status: worst(own.map(componentStatus)),
      position: components.size + 1,
      group_id: null,
      updated_at: toIso(newest(known)),
    });
    for (const incident of own) incidents.push(toIncident(incident, name, known));
  }
  const all = [...components.values()];
  const indicator = IMPACT[worst(all.map(({ status }) => status))];
  const updatedAt = Math.max(org?.created_at ?? 0, ...[...cells.values()].map(newest));
  return {
    page: {
      id: orgId,
      name: org?.name ?? "Tracedeck",
      time_zone: "Etc/UTC",
      updated_at: toIso(updatedAt),
    },
    status: { indicator, description: all.length === 0 ? "Nothing is watched yet" : DESCRIPTION[indicator] },
    components: all,
    incidents,
    scheduled_maintenances: [],
  };
}

const newest = (cells: readonly GridCellRow[]): number =>
  cells.reduce((last, { last_run_at }) => Math.max(last, last_run_at), 0);

const worst = (statuses: readonly ComponentStatus[]): ComponentStatus =>
  RANK[Math.max(0, ...statuses.map((status) => RANK.indexOf(status)))]!;

function componentStatus({ type }: Pick<OpenIncident, "type">): ComponentStatus {
  if (type === "global_outage") return "major_outage";
  return type === "latency_p99" || type === "shadow_diff" ? "degraded_performance" : "partial_outage";
}

function toIncident(incident: OpenIncident, name: string, cells: readonly GridCellRow[]): Incident {
  const { id, type, region, opened_at, acknowledged_at } = incident;
  const isGlobal = type === "global_outage";
  const meant = cells.filter((cell) => isGlobal || cell.region === region);
  const isBack = meant.length > 0 && meant.every(({ last_status }) => last_status === "passed");
  const updates: Incident["incident_updates"] = [
    update(id, "investigating", "We see that something is wrong.", opened_at),
  ];
  if (acknowledged_at !== null)
    updates.unshift(update(id, "identified", "Somebody is at it.", acknowledged_at));
  if (isBack && type !== "latency_p99" && type !== "shadow_diff")
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
