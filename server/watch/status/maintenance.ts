import type { MaintenanceRow } from "../../../store/records/maintenance.ts";
import { toIso } from "../../platform/clock.ts";
import { type Span, spansOf, windowsFor } from "../maintenance/windows.ts";
import type { StatusSummary } from "./model.ts";

/** What is further away is not told yet. */
const AHEAD_MS = 14 * 24 * 60 * 60_000;

/** A maintenance window with the time at which it comes next, or goes on. */
export interface Planned extends Span {
  window: MaintenanceRow;
}

/** The windows that go on or come soon, in the order of their beginnings. */
export function plannedOf(windows: readonly MaintenanceRow[], now: number): Planned[] {
  return windows
    .flatMap((window) => spansOf(window, now, 1).map((span) => ({ window, ...span })))
    .filter(({ from, to }) => to > now && from <= now + AHEAD_MS)
    .sort((a, b) => a.from - b.from || (a.window.id < b.window.id ? -1 : 1));
}

/** Since when maintenance of a scenario goes on, epoch ms; null when none does. */
export function since(planned: readonly Planned[], scenarioId: string, now: number): number | null {
  const goesOn = planned.filter(
    ({ from, window }) => from <= now && windowsFor([window], scenarioId).length > 0,
  );
  return goesOn.length === 0 ? null : Math.min(...goesOn.map(({ from }) => from));
}

type Scheduled = StatusSummary["scheduled_maintenances"][number];

/** As Statuspage tells it. @param components all that are told of */
export function toScheduled(
  { window, from, to }: Planned,
  components: StatusSummary["components"],
  now: number,
): Scheduled {
  const status = from <= now ? "in_progress" : "scheduled";
  const updated = toIso(status === "in_progress" ? from : window.updated_at);
  return {
    id: window.id,
    name: window.name,
    status,
    impact: "maintenance",
    created_at: toIso(window.created_at),
    updated_at: updated,
    scheduled_for: toIso(from),
    scheduled_until: toIso(to),
    incident_updates: [
      {
        id: `${window.id}-${status}`,
        status,
        body: status === "in_progress" ? "Maintenance is going on." : "Maintenance is planned.",
        created_at: updated,
      },
    ],
    components: components
      .filter(({ id }) => windowsFor([window], id).length > 0)
      .map(({ id, name }) => ({ id, name })),
  };
}
