import type { JSX } from "preact";
import type { CauseAnswer } from "../../../server/trace/causes/model.ts";
import { isExplained, ToldCause } from "../../trace/cause/told-cause.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type Run, runsApi } from "./api.ts";

/** Why a run failed, once its trace is settled. Null where that is not known, or the trace has gone. */
export function useRunCause({
  trace_id: traceId,
  failure_signature: signature,
  status,
}: Run): CauseAnswer | null {
  // The signature comes with the settled trace.
  const key = status === "failed" && signature !== null ? traceId : null;
  return useLoad(key, (signal) => runsApi.cause(traceId!, signal)).data;
}

/** Why a run failed, where more is known than its failed step tells. */
export function RunCause({ cause, run }: { cause: CauseAnswer; run: Run }): JSX.Element | null {
  if (!isExplained(cause)) return null;
  return (
    <section class="run-cause" aria-label="Cause">
      <ToldCause cause={cause} trace={{ id: cause.trace_id, failure_message: run.error?.message ?? null }} />
    </section>
  );
}
