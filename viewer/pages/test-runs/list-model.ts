import { signal } from "@preact/signals";
import { followNews } from "../../ui/news.ts";
import { createPages } from "../../ui/pages.ts";
import { type TestRun, type TestRunFilters, testRunsApi } from "./api.ts";

const PAGE = 100;
const SETTLE_MS = 500;

const placeOf = ({ started_at, id }: TestRun): string => `${started_at} ${id}`;

/** The list of test runs, which follows what happens to them. */
export function createTestRunList(filters: () => TestRunFilters) {
  const pages = createPages<TestRun>(
    (cursor, signal) => testRunsApi.list({ ...filters(), limit: PAGE, cursor: cursor ?? undefined }, signal),
    ({ id }) => id,
  );
  const isLive = signal(false);

  /** Listens until the returned function is called. */
  function follow(): () => void {
    const end = followNews("/v1/test-runs/live", {
      settleMs: SETTLE_MS,
      onConnection: (isConnected) => {
        isLive.value = isConnected;
      },
      onNews: (changed) =>
        void pages.refresh({
          isBelow: (run, last) => placeOf(run) < placeOf(last),
          // One that goes on may have ended while the connection was lost.
          renew: async (run) =>
            changed.has(run.id) || (changed.size === 0 && run.status === "running")
              ? testRunsApi.show(run.id)
              : run,
        }),
    });
    return () => {
      end();
      pages.stop();
    };
  }

  return { ...pages, isLive, follow };
}
