import { basename } from "node:path";
import type { Deps } from "../../deps.ts";
import { withKeptLease } from "../../jobs/lease.ts";
import type { JobHandler, JobHandlers } from "../../jobs/types.ts";
import { leaveInTier, moveDown } from "./down.ts";
import { DROP_REPLACED, MOVE_DOWN, RESTORE, TIDY, TIDY_REMOVED } from "./kinds.ts";
import { restoreFailed, restoreTrace } from "./restore.ts";
import { dropReplaced, type RemovedTrace, tidyRemoved, tidyTrace } from "./tidy.ts";

/** Jobs that move traces between tiers. How long each takes is up to the trace's size and the disk. */
export function tierHandlers(deps: Deps): JobHandlers {
  const { fileLock } = deps.traceState;
  const kept = (handle: JobHandler) => withKeptLease(deps, handle);
  return [
    {
      kind: MOVE_DOWN,
      atMost: 1,
      handle: kept(({ trace_id, to }) => {
        const id = String(trace_id);
        return fileLock(id, () => moveDown(deps, id, to === "warm" ? "warm" : "cold"));
      }),
      onDead: async ({ trace_id }) => leaveInTier(deps, String(trace_id)),
    },
    {
      kind: RESTORE,
      atMost: 2,
      handle: kept(({ trace_id }, { signal }) => {
        const id = String(trace_id);
        return fileLock(id, () => restoreTrace(deps, id, signal));
      }),
      onDead: ({ trace_id }, error) => restoreFailed(deps, String(trace_id), error),
    },
    {
      kind: TIDY,
      handle: kept(({ trace_id, cold_pack }) => {
        const id = String(trace_id);
        return fileLock(id, () => tidyTrace(deps, id, typeof cold_pack === "string" ? cold_pack : null));
      }),
    },
    {
      kind: TIDY_REMOVED,
      handle: kept(({ traces }) => tidyRemoved(deps, (traces ?? []) as RemovedTrace[])),
    },
    {
      kind: DROP_REPLACED,
      handle: kept(({ trace_id, replaced }) => {
        const id = String(trace_id);
        const names = Array.isArray(replaced) ? replaced.map((name) => basename(String(name))) : [];
        return fileLock(id, () => dropReplaced(deps, id, names));
      }),
    },
  ];
}
