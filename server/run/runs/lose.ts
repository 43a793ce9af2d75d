import { tracesOfRun } from "../../../store/records/histories.ts";
import { changeRun, lastRunError, type RunRow } from "../../../store/records/runs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { captureService } from "../../trace/capture/service.ts";
import { settleRun, type Verdict } from "./settle.ts";

/**
 * A run that was under way when its server died. Where its trace had its verdict, the run takes it; else it is an error, and
 * its trace is aborted with what was kept of it.
 */
export async function loseRun(
  deps: Deps,
  run: RunRow,
  message = "The server ended while the run was under way.",
): Promise<void> {
  const { records } = deps.store;
  const trace = await traceOf(deps, run);
  if (trace && run.trace_id === null) await changeRun(records, run.id, ["running"], { trace_id: trace.id });
  const told = trace && trace.status !== "running" ? trace.claimed_status : null;
  if (told === "passed" || told === "failed") {
    await settleRun(deps, run, {
      status: told,
      error: told === "failed" ? await lastError(deps, run) : null,
    });
    return;
  }
  const error = { reason: "runner_lost", message, stepId: null };
  if (!(await settleRun(deps, run, { status: "error", error }))) return;
  if (trace) await captureService(deps).abort(trace.id, message);
}

async function lastError({ store }: Deps, run: RunRow): Promise<Verdict["error"]> {
  const line = await lastRunError(store.records, run.id);
  const message = line?.message ?? "The scenario does not hold.";
  return { reason: null, message, stepId: line?.step_id ?? null };
}

/** The trace that a run leaves, also where the server died before it could note it. */
async function traceOf(deps: Deps, run: RunRow): Promise<TraceRow | null> {
  const { records } = deps.store;
  if (run.trace_id !== null) return findTrace(records, run.trace_id);
  const of = { orgId: run.org_id, scenarioId: run.scenario_id, runId: run.id };
  const [made] = await tracesOfRun(records, of, 1);
  return made ? findTrace(records, made.id) : null;
}
