import { signal } from "@preact/signals";
import { followNews } from "../../ui/news.ts";
import { createPages } from "../../ui/pages.ts";
import { type IncidentFilters, type IncidentItem, incidentsApi } from "./api.ts";

const PAGE = 100;
const SETTLE_MS = 250;

/** The list of incidents, which follows what happens to them. */
export function createIncidentList(filters: () => IncidentFilters) {
  const pages = createPages<IncidentItem>(
    (cursor, signal) => incidentsApi.list({ ...filters(), limit: PAGE, cursor: cursor ?? undefined }, signal),
    ({ id }) => id,
  );
  const isLive = signal(false);

  /** Listens until the returned function is called. */
  function follow(): () => void {
    const end = followNews("/v1/incidents/live", {
      settleMs: SETTLE_MS,
      onConnection: (isConnected) => {
        isLive.value = isConnected;
      },
      onNews: (changed) =>
        void pages.refresh({
          // Ids grow with time.
          isBelow: (incident, last) => incident.id < last.id,
          // One that goes on may have ended while the connection was lost.
          renew: async (incident) =>
            changed.has(incident.id) || (changed.size === 0 && incident.resolved_at === null)
              ? incidentsApi.show(incident.id)
              : incident,
        }),
    });
    return () => {
      end();
      pages.stop();
    };
  }

  return { ...pages, isLive, follow };
}
