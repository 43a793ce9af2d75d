import { isViewerPath } from "../../../viewer/page-table.ts";
import type { Deps } from "../../deps.ts";

import { limitHeaders, rateLimited } from "../../http/rate-limits.ts";
import { optionalActor } from "../../identity/auth.ts";

interface Call {
  request: Request;
  path: string;
  set: { headers: Record<string, unknown> };
}

/**
 * A `transform` hook for what is read below `/r/`, which no search engine is to list. It is counted: for whoever has a good
 * credential against the limit of the org, like all reads but pages, and for anybody else against that of the address. A
 * credential that is not good is nobody's failure here: a public share opens without one.
 */
export function limitShareReads(deps: Deps) {
  return async ({ request, path, set }: Call): Promise<void> => {
    if (!path.startsWith("/r/")) return;
    // A link that stands somewhere public is for who reads it there, and what a search engine keeps does not end with it.
    set.headers["x-robots-tag"] = "noindex";
    const actor = await optionalActor(deps, request, path);
    if (!actor) {
      Object.assign(set.headers, deps.anonymousLimits.take("share", request));
      return;
    }
    if (isViewerPath(path)) return;
    const taken = deps.rateLimits.take(actor.orgId, "read");
    if (!taken.allowed) throw rateLimited("requests for this org", taken);
    Object.assign(set.headers, limitHeaders(taken));
  };
}
