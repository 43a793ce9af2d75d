import { tracesOfRun } from "../../../store/records/histories.ts";
import { changeRun, findRun, lastRunError, type RunRow } from "../../../store/records/runs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { createCaptureService } from "../../trace/capture/service.ts";
import { settleRun, type Verdict, verdictOfRun } from "./settle.ts";

/**
 * A run that was under way when its server died. Where its trace had its verdict, the run takes it; else it is an error, and
 * its trace is aborted with what was kept of it.
 */
export async function failOrphanedRun(
  deps: Deps,
  run: RunRow,
  message = "The server ended while the run was under way.",
): Promise<void> {
  const { records } = deps.store;
  const trace = await traceOf(deps, run);
  if (run.verdict !== null) {
    await concludeTrace(deps, run, message);
    return;
  }
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
  if (await settleRun(deps, run, { status: "error", error })) await concludeTrace(deps, run, message);
}

/**
 * Ends the trace of a run that has its verdict, where its runner did not: as aborted, or as failed when that is the run's verdict.
 * The run is final with it.
 */
export async function concludeTrace(deps: Deps, { id }: Pick<RunRow, "id">, reason: string): Promise<void> {
  const run = await findRun(deps.store.records, id);
  const verdict = run && verdictOfRun(run);
  const trace = run && (await traceOf(deps, run));
  if (!run || !verdict) return;
  try {
    if (trace)
      await createCaptureService(deps).abort(trace.id, reason, verdict === "failed" ? "failed" : "aborted");
  } catch (error) {
    // Where that is not possible now, its silence ends it; nobody waits for it.
    deps.log.warn("The trace of a run could not be ended", { run_id: id, error });
    await settleRun(deps, run, { status: verdict, error: null }, true);
    return;
  }
  // It may have had its last word before.
  await settleRun(deps, run, { status: verdict, error: null });
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
