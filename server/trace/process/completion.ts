import type { Trx } from "../../../store/records/db.ts";
import { findReplayOf, type ReplayRow } from "../../../store/records/replays.ts";
import { findRunOfTrace, type RunRow } from "../../../store/records/runs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import { endReplay, endRun } from "../../../store/records/verdicts.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { REPLAY_ENDED, RUN_ENDED } from "../kinds.ts";
import { publishTraceChange } from "../publish.ts";

/**
 * Tells who listens that a trace has another status: its stream, its org's list and, when the status is final, whoever waits for
 * its run.
 */
export function publishCompletion(
  deps: Pick<Deps, "clock">,
  after: Pick<After, "publish">,
  trace: TraceRow,
): void {
  const { id, status, run_id } = trace;
  after.publish("trace", id, { type: "status", status });
  publishTraceChange(after, trace);
  if (run_id === null || status === "running" || status === "queued") return;
  after.publish("run", run_id, {
    type: "run.completed",
    run_id,
    trace_id: id,
    status,
    failure_signature: trace.failure_signature,
    duration_ms: trace.duration_ms,
    at: toIso(deps.clock.now()),
  });
}

/** Tells whoever follows a run, or its org's list of runs, that it changed. */
export function publishRun(
  after: Pick<After, "publish">,
  { id, org_id }: Pick<RunRow, "id" | "org_id">,
): void {
  after.publish("run-logs", id, { type: "status" });
  after.publish("runs", org_id, { type: "run.changed", id });
}

/**
 * Makes a run's verdict final when everything that belongs to it is. A run ends here and nowhere else: the transaction that gives it its
 * final status also adds the job `run.ended`, once, so that what follows a run's end is not lost with the process.
 * @param isAlone nothing more will come of its trace or shadow diff
 * @returns whether it ended
 */
export async function finishRun(trx: Trx, after: After, run: RunRow, isAlone = false): Promise<boolean> {
  if (!(await endRun(trx, run, isAlone))) return false;
  await after.add({ kind: RUN_ENDED, payload: { run_id: run.id }, dedupeKey: run.id });
  publishRun(after, run);
  return true;
}

/** The same for a replay: whoever follows its end is told by the job `replay.ended`, once. */
export async function finishReplay(
  trx: Trx,
  after: Pick<After, "add">,
  replay: ReplayRow,
  isAlone = false,
): Promise<void> {
  if (await endReplay(trx, replay, isAlone))
    await after.add({ kind: REPLAY_ENDED, payload: { replay_id: replay.id }, dedupeKey: replay.id });
}

/**
 * Ends the run or the replay that made a trace. Call it in the transaction that gives the trace its final status: whoever sees
 * one of them final sees all that is final of both.
 */
export async function finishByTrace(trx: Trx, after: After, traceId: string): Promise<void> {
  const replay = await findReplayOf(trx, traceId);
  if (replay) await finishReplay(trx, after, replay);
  const run = await findRunOfTrace(trx, traceId);
  if (run) await finishRun(trx, after, run);
}
