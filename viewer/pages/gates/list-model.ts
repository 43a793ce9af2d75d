import { signal } from "@preact/signals";
import { followNews } from "../../ui/news.ts";
import { createPages } from "../../ui/pages.ts";
import { gatesApi, type PullRequestAnswer, type PullRequestFilters } from "./api.ts";

const PAGE = 100;
const SETTLE_MS = 300;

/** The list of pull requests, which follows what happens to them: whatever of one is news puts it at the top. */
export function createPullRequestList(filters: () => PullRequestFilters) {
  const pages = createPages<PullRequestAnswer>(
    (cursor, signal) => gatesApi.list({ ...filters(), limit: PAGE, cursor: cursor ?? undefined }, signal),
    ({ id }) => id,
  );
  const isLive = signal(false);

  /** Listens until the returned function is called. */
  function follow(): () => void {
    const end = followNews("/v1/gates/live", {
      settleMs: SETTLE_MS,
      onConnection: (isConnected) => {
        isLive.value = isConnected;
      },
      onNews: (changed) =>
        void pages.refresh({
          isBelow: (one, last) => one.changed_at < last.changed_at,
          renew: async (one) =>
            changed.has(one.id) || (one.gate !== null && changed.has(one.gate.id))
              ? gatesApi.pullRequest(one.id)
              : one,
        }),
    });
    return () => {
      end();
      pages.stop();
    };
  }

  return { ...pages, isLive, follow };
}
