import type { TickRun } from "../../../store/records/check-ticks.ts";
import { hasOpenShadowDiff } from "../../../store/records/check-ticks.ts";
import type { Trx } from "../../../store/records/db.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { addShadowDiff } from "../../run/runs/start-comparison.ts";

/**
 * Has the clones of a scenario compared with production at a fire, in the region of the fire's run. One comparison of a scenario goes
 * on at a time: the next fire that finds none begins another.
 */
export async function compareAtFire(
  deps: Pick<Deps, "ids">,
  within: Trx,
  after: Pick<After, "add">,
  run: TickRun,
): Promise<void> {
  if (await hasOpenShadowDiff(within, { orgId: run.org_id, scenarioId: run.scenario_id })) return;
  await addShadowDiff(deps, within, after, {
    id: deps.ids.uuid(),
    org_id: run.org_id,
    type: "shadow_diff",
    status: "queued",
    scenario_id: run.scenario_id,
    scenario_slug: run.scenario_slug,
    region: run.region,
    base_url: run.base_url,
    trigger: "schedule",
    plan: run.plan,
    scheduled_at: run.scheduled_at,
  });
}
