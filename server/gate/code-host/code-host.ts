import type { Clock } from "../../platform/clock.ts";
import { createBlobCache } from "./blob-cache.ts";
import { checkRunWrites } from "./check-runs.ts";
import { commentWrites } from "./comments.ts";
import { createConnection } from "./connection.ts";
import { contentReads } from "./contents.ts";
import { deploymentReads } from "./deployments.ts";
import { hookDeliveries } from "./hook-deliveries.ts";
import { proposalWrites } from "./proposals.ts";
import { pullRequestReads } from "./pull-requests.ts";
import type { CodeHostSettings } from "./settings.ts";
import type { CodeHost } from "./types.ts";

const CACHE_BYTES = 16 * 1024 * 1024;

/** The code host that settings name. It keeps its installation token, the limits that the host set, and files by their hash. */
export function createCodeHost(settings: CodeHostSettings, clock: Pick<Clock, "now">): CodeHost {
  const connection = createConnection(settings, clock);
  return {
    repository: settings.repository,
    ...pullRequestReads(connection),
    ...contentReads(connection, createBlobCache(CACHE_BYTES)),
    ...deploymentReads(connection),
    ...checkRunWrites(connection),
    ...commentWrites(connection),
    ...proposalWrites(connection),
    ...hookDeliveries(connection),
  };
}
