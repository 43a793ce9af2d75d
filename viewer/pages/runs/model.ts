import { createLivePages } from "../../ui/live-pages.ts";
import { type Run, type RunFilters, runsApi } from "./api.ts";

const PAGE = 100;

/** The list of runs, which follows what happens to them. */
export function createRunList(filters: () => RunFilters) {
  return createLivePages<Run>({
    fetchPage: (cursor, signal) =>
      runsApi.list({ ...filters(), limit: PAGE, cursor: cursor ?? undefined }, signal),
    show: (id) => runsApi.show(id),
    newsUrl: "/v1/runs/live",
  });
}
