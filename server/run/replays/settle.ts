import { findReplay, type ReplayRow } from "../../../store/records/replays.ts";
import { keepReplayVerdict, type ReplayVerdict } from "../../../store/records/verdicts.ts";
import { withReserve } from "../../../store/reserve.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { createCaptureService } from "../../trace/capture/service.ts";
import { finishReplay } from "../../trace/process/completion.ts";

/**
 * Notes how a replay ended, on a full disk too; what was noted before stands. It is final when its trace is: at once where it has none.
 * @param isAlone nobody waits for its trace
 */
export async function settleReplay(
  deps: Deps,
  { id }: Pick<ReplayRow, "id">,
  verdict: Omit<ReplayVerdict, "ended_at">,
  isAlone = false,
): Promise<void> {
  const ended_at = deps.clock.now();
  const write = () =>
    commit(deps, async (within, after) => {
      const known = await findReplay(within, id);
      if (known?.verdict === null) await keepReplayVerdict(within, id, { ...verdict, ended_at });
      const replay = await findReplay(within, id);
      if (replay) await finishReplay(within, after, replay, isAlone);
    });
  await withReserve(deps.store.reserve, write, () =>
    deps.log.warn("the disk is full: the room kept for the records is given up", { replay_id: id }),
  );
}

/** A replay that nobody carries out any more. Its trace is aborted with what was kept of it. */
export async function failReplay(
  deps: Deps,
  { id }: Pick<ReplayRow, "id">,
  { reason, message }: { reason: string; message: string },
): Promise<void> {
  const verdict = { status: "failed", error_reason: reason, error_message: message } as const;
  await settleReplay(deps, { id }, verdict);
  const traceId = (await findReplay(deps.store.records, id))?.replay_trace_id;
  if (!traceId) return;
  try {
    await createCaptureService(deps).abort(traceId, message);
  } catch (error) {
    // Where that is not possible now, its silence ends it; nobody waits for it.
    deps.log.warn("The trace of a replay could not be ended", { replay_id: id, error });
    await settleReplay(deps, { id }, verdict, true);
  }
}

/** A replay that was under way when its server died. */
export const failOrphanedReplay = (deps: Deps, replay: Pick<ReplayRow, "id">): Promise<void> =>
  failReplay(deps, replay, {
    reason: "runner_lost",
    message: "The server ended while the replay was under way.",
  });
