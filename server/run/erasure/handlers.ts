import type { Deps } from "../../deps.ts";
import { ERASE_ORG } from "../../identity/orgs/kinds.ts";
import { withKeptLease } from "../../jobs/lease.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { eraseDeleted } from "./erase.ts";

/** The job that removes what a deleted org has left. */
export function erasureHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: ERASE_ORG,
      atMost: 1,
      handle: withKeptLease(deps, ({ org_id }, context) => eraseDeleted(deps, String(org_id), context)),
    },
  ];
}
