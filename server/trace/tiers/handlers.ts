import type { Deps } from "../../deps.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { moveDown } from "./down.ts";
import { MOVE_DOWN, RESTORE, TIDY } from "./kinds.ts";
import { restoreFailed, restoreTrace } from "./restore.ts";
import { tidyTrace } from "./tidy.ts";

/** Jobs that move traces between tiers. */
export function tierHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: MOVE_DOWN,
      atMost: 1,
      handle: ({ trace_id, to }) => moveDown(deps, String(trace_id), to === "warm" ? "warm" : "cold"),
    },
    {
      kind: RESTORE,
      atMost: 2,
      handle: ({ trace_id }, context) => restoreTrace(deps, String(trace_id), context),
      onDead: ({ trace_id }, error) => restoreFailed(deps, String(trace_id), error),
    },
    {
      kind: TIDY,
      handle: ({ trace_id, cold_pack }) =>
        tidyTrace(deps, String(trace_id), typeof cold_pack === "string" ? cold_pack : null),
    },
  ];
}
