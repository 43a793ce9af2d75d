import type { Deps } from "../../deps.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { PROCESS, RECOMPRESS } from "../kinds.ts";
import { storeSmaller } from "./recompress.ts";
import { giveUp, postProcess } from "./service.ts";

/** The jobs that follow an upload or a capture. */
export function processHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: PROCESS,
      handle: (payload, context) => postProcess(deps, traceIdOf(payload), context),
      onDead: (payload, error) => giveUp(deps, traceIdOf(payload), error),
    },
    {
      kind: RECOMPRESS,
      // Minutes of work that nobody waits for: one at a time, so that it never holds up the others.
      atMost: 1,
      handle: (payload, context) => storeSmaller(deps, traceIdOf(payload), context),
    },
  ];
}

function traceIdOf(payload: Record<string, unknown>): string {
  if (typeof payload.trace_id !== "string") throw new Error("The job's payload has no trace_id.");
  return payload.trace_id;
}
