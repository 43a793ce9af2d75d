import { keepFingerprints } from "../../../store/records/fingerprints.ts";
import { changeRun, findRun, type RunRow } from "../../../store/records/runs.ts";
import { withReserve } from "../../../store/reserve.ts";
import type { Deps } from "../../deps.ts";
import type { Outcome } from "../runner/execution.ts";
import { tellRun } from "./news.ts";

/** How a run ended, and what it learned of the elements that it acted on. */
export type Verdict = Pick<Outcome, "status" | "error"> & Partial<Pick<Outcome, "heals" | "fingerprints">>;

/** Whole minutes are where runs begin to be too long. */
const SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/**
 * Ends a run that is queued or under way, on a full disk too, counts it and tells of it; false when it had ended before. What a run that passed
 * saw of its elements is kept for the next ones.
 */
export async function settleRun(
  deps: Deps,
  { id }: Pick<RunRow, "id">,
  { status, error, heals = [], fingerprints = {} }: Verdict,
): Promise<boolean> {
  const ended = deps.clock.now();
  const write = () =>
    deps.store.records.transaction().execute(async (within) => {
      const known = await findRun(within, id);
      if (!known) return null;
      const duration_ms = known.started_at === null ? 0 : Math.max(0, ended - known.started_at);
      const isOurs = await changeRun(within, id, ["queued", "running"], {
        status,
        ended_at: ended,
        duration_ms,
        error_reason: error?.reason ?? null,
        error_message: error?.message ?? null,
        heals: heals.length > 0 ? JSON.stringify(heals) : null,
      });
      if (!isOurs) return null;
      if (status === "passed") await keepFingerprints(within, known.scenario_id, fingerprints, ended);
      return { ...known, duration_ms };
    });
  const run = await withReserve(deps.store.reserve, write, () =>
    deps.log.warn("the disk is full: the room kept for the records is given up", { run_id: id }),
  );
  if (!run) return false;
  const { type } = run;
  deps.metrics.counter("runs_total", "Runs that ended.", ["type", "status"]).inc({ type, status });
  if (run.started_at !== null)
    deps.metrics
      .histogram("run_duration_seconds", "How long runs took.", { labelNames: ["type"], buckets: SECONDS })
      .observe(run.duration_ms / 1000, { type });
  tellRun(deps, run);
  return true;
}
