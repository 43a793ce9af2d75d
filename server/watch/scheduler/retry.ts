import { insertTickRuns } from "../../../store/records/check-ticks.ts";
import { findCheck } from "../../../store/records/checks.ts";
import type { Trx } from "../../../store/records/db.ts";
import type { RunRow } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { publishRun } from "../../trace/process/completion.ts";

/**
 * Runs a fire of a check again in the same region, as its next attempt; it waits for a place as others do. A check that is gone, off
 * or paused is not run again.
 * @param run the attempt that has ended
 * @returns the id of the new run; null when there is none, or when it was there already
 */
export async function insertRetry(
  { ids, clock }: Pick<Deps, "ids" | "clock">,
  within: Trx,
  after: Pick<After, "publish">,
  run: RunRow,
): Promise<string | null> {
  const check = run.check_id === null ? null : await findCheck(within, run.check_id);
  if (run.base_url === null || check?.enabled !== 1 || (check.paused_until ?? 0) > clock.now()) return null;
  const [inserted] = await insertTickRuns(within, [
    {
      id: ids.uuid(),
      org_id: run.org_id,
      type: "schedule",
      status: "queued",
      scenario_id: run.scenario_id,
      scenario_slug: run.scenario_slug,
      region: run.region,
      base_url: run.base_url,
      trigger: "retry",
      plan: run.plan,
      scheduled_at: run.scheduled_at,
      check_id: check.id,
      attempt: run.attempt + 1,
      parent_run_id: run.parent_run_id ?? run.id,
    },
  ]);
  if (!inserted) return null;
  publishRun(after, inserted);
  return inserted.id;
}
