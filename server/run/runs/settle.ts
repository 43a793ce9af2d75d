import { keepFingerprints } from "../../../store/records/fingerprints.ts";
import { changeRun, ENDED, findRun, isOfStrangers, type RunRow } from "../../../store/records/runs.ts";
import { keepRunVerdict, type RunVerdict } from "../../../store/records/verdicts.ts";
import { withReserve } from "../../../store/reserve.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { finishRun } from "../../trace/process/completion.ts";
import type { Outcome } from "../runner/execution.ts";

/** How a run ended, and what it learned of the elements that it acted on. */
export type Verdict = Pick<Outcome, "status" | "error"> &
  Partial<Pick<Outcome, "heals" | "fingerprints" | "marks">>;

/** Whole minutes are where runs begin to be too long. */
const SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/**
 * Notes how a run that is queued or under way ended, on a full disk too, and counts it; false when that was noted before. What a run that
 * passed saw of its elements is kept for the next ones. The run is final when its trace is: at once where it has none, else with it.
 * @param isAlone its trace says nothing more, or nobody waits for that
 */
export async function settleRun(
  deps: Deps,
  { id }: Pick<RunRow, "id">,
  { status, error, heals = [], fingerprints = {}, marks = null }: Verdict,
  isAlone = false,
): Promise<boolean> {
  const ended = deps.clock.now();
  const write = () =>
    commit(deps, async (within, after) => {
      const known = await findRun(within, id);
      if (!known || ENDED.includes(known.status)) return null;
      // What was noted before stands.
      if (known.verdict !== null) {
        await finishRun(within, after, known, isAlone);
        return { run: known, isNew: false };
      }
      const duration_ms = known.started_at === null ? 0 : Math.max(0, ended - known.started_at);
      await keepRunVerdict(within, id, {
        status,
        ended_at: ended,
        duration_ms,
        error_reason: error?.reason ?? null,
        error_message: error?.message ?? null,
        heals: heals.length > 0 ? JSON.stringify(heals) : null,
      });
      if (marks) await changeRun(within, id, ["queued", "running"], { marks: JSON.stringify(marks) });
      if (status === "passed" && !isOfStrangers(known))
        await keepFingerprints(within, known.scenario_id, fingerprints, ended);
      const run = (await findRun(within, id))!;
      await finishRun(within, after, run, isAlone);
      return { run: { ...run, duration_ms }, isNew: true };
    });
  const settled = await withReserve(deps.store.reserve, write, () =>
    deps.log.warn("the disk is full: the room kept for the records is given up", { run_id: id }),
  );
  if (!settled) return false;
  const { run, isNew } = settled;
  if (isNew) count(deps, run, status);
  return isNew;
}

function count(deps: Deps, { type, started_at, duration_ms }: RunRow, status: Verdict["status"]): void {
  deps.metrics.counter("runs_total", "Runs that ended.", ["type", "status"]).inc({ type, status });
  if (started_at === null) return;
  deps.metrics
    .histogram("run_duration_seconds", "How long runs took.", { labelNames: ["type"], buckets: SECONDS })
    .observe(duration_ms / 1000, { type });
}

/** How a run ended, also while that is not final; null while it goes on. */
export function verdictOfRun({ status, verdict }: RunRow): Verdict["status"] | null {
  if (verdict !== null) return (JSON.parse(verdict) as RunVerdict).status as Verdict["status"];
  return ENDED.includes(status) ? (status as Verdict["status"]) : null;
}
