import type { Trx } from "./db.ts";
import { changeReplay, type ReplayRow } from "./replays.ts";
import { changeRun, ENDED, type RunRow } from "./runs.ts";
import { findTrace } from "./traces.ts";

type Within = Trx;

/** How a run ended: what changes of its row once its trace has its last word. */
export type RunVerdict = Pick<
  RunRow,
  "status" | "ended_at" | "duration_ms" | "error_reason" | "error_message" | "heals"
>;
/** The same of a replay. */
export type ReplayVerdict = Pick<ReplayRow, "status" | "ended_at" | "error_reason" | "error_message">;

/** Keeps how a run ended. It is final when `endRun` says so. */
export const keepRunVerdict = (within: Within, id: string, verdict: RunVerdict) =>
  changeRun(within, id, ["queued", "running"], { verdict: JSON.stringify(verdict) });

/** Keeps how a replay ended. */
export const keepReplayVerdict = (within: Within, id: string, verdict: ReplayVerdict) =>
  changeReplay(within, id, ["queued", "running"], { verdict: JSON.stringify(verdict) });

/**
 * Makes a run's verdict final when everything that belongs to it is: its trace, and of the run that stands for a shadow diff
 * what was found. False when it has no verdict, not yet, or ended before.
 * @param isAlone nothing more will come of its trace or shadow diff
 */
export async function endRun(within: Within, run: RunRow, isAlone = false): Promise<boolean> {
  if (run.verdict === null || !(isAlone || (await isWhole(within, run)))) return false;
  return changeRun(within, run.id, ["queued", "running"], {
    ...(JSON.parse(run.verdict) as RunVerdict),
    verdict: null,
  });
}

/** The same for a replay. */
export async function endReplay(within: Within, replay: ReplayRow, isAlone = false): Promise<boolean> {
  if (replay.verdict === null || !(isAlone || (await hasLastWord(within, replay.replay_trace_id))))
    return false;
  return changeReplay(within, replay.id, ["queued", "running"], {
    ...(JSON.parse(replay.verdict) as ReplayVerdict),
    verdict: null,
  });
}

async function isWhole(within: Within, run: RunRow): Promise<boolean> {
  if (!(await hasLastWord(within, run.trace_id))) return false;
  if (run.type !== "shadow_diff") return true;
  const shadow = await within
    .selectFrom("shadow_diffs")
    .select("result")
    .where("run_id", "=", run.id)
    .executeTakeFirst();
  return !shadow || shadow.result !== null;
}

async function hasLastWord(within: Within, traceId: string | null): Promise<boolean> {
  const trace = traceId === null ? null : await findTrace(within, traceId);
  return !trace || ENDED.includes(trace.status);
}
