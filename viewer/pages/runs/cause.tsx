import type { JSX } from "preact";
import { isExplained, ToldCause } from "../../trace/cause/told-cause.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type Run, runsApi } from "./api.ts";

/** Why a run failed, once its trace is settled. Without its trace, which may have gone, the run's own error is what is known. */
export function RunCause({ run }: { run: Run }): JSX.Element | null {
  const { trace_id: traceId, failure_signature: signature, status } = run;
  // The signature comes with the settled trace.
  const key = status === "failed" && signature !== null ? traceId : null;
  const { data } = useLoad(key, (signal) => runsApi.cause(traceId!, signal));
  // What failed is told by the step.
  if (!data || !isExplained(data)) return null;
  return (
    <section class="run-cause" aria-label="Cause">
      <ToldCause cause={data} trace={{ id: data.trace_id, failure_message: run.error?.message ?? null }} />
    </section>
  );
}
