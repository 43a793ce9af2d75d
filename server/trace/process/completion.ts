import type { RunRow } from "../../../store/records/runs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { toIso } from "../../platform/clock.ts";

/**
 * Tells who listens that a trace has another status: its stream, its org's list and, when the status is final, its run. Call it after commit.
 * @param ended the run of this server that ended with it
 */
export function publishCompletion(
  deps: Pick<Deps, "hub" | "clock">,
  trace: TraceRow,
  ended: RunRow | null = null,
): void {
  const { id, status, run_id } = trace;
  deps.hub.publish("trace", id, { type: "status", status });
  deps.hub.publish("traces", trace.org_id, { type: "trace.changed", id, status });
  if (ended) publishRun(deps, ended);
  if (run_id === null || status === "running" || status === "queued") return;
  deps.hub.publish("run", run_id, {
    type: "run.completed",
    run_id,
    trace_id: id,
    status,
    failure_signature: trace.failure_signature,
    duration_ms: trace.duration_ms,
    at: toIso(deps.clock.now()),
  });
}

/** Tells whoever follows a run, or its org's list of runs, that it changed. Call it after commit. */
export function publishRun(deps: Pick<Deps, "hub">, { id, org_id }: Pick<RunRow, "id" | "org_id">): void {
  deps.hub.publish("run-logs", id, { type: "status" });
  deps.hub.publish("runs", org_id, { type: "run.changed", id });
}
