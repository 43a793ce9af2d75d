import type { SkipReason } from "../../../store/records/check-schema.ts";
import type { DueCheck } from "../../../store/records/check-ticks.ts";
import type { Trx } from "../../../store/records/db.ts";
import type { Deps } from "../../deps.ts";
import { noteNotMade } from "../self-alert.ts";

/** Why fires are left out until somebody does something about it. The others run again by themselves. */
const FOR_GOOD: Partial<Record<SkipReason, string>> = {
  no_target: "their scenario has no address to begin at (`base_url`).",
  not_in_plan: "the plan does not have their region any more.",
};

/** Counts a fire that was left out among the runs that could not be made: nothing is watched, and nobody would hear of it. */
export async function followSkip(
  deps: Pick<Deps, "ids">,
  within: Trx,
  { check, region, reason }: { check: DueCheck; region: string; reason: SkipReason },
  now: number,
): Promise<void> {
  const because = FOR_GOOD[reason];
  if (because === undefined) return;
  const { org_id, scenario_id } = check;
  const why = `fires in a row were left out: ${because}`;
  await noteNotMade(deps, within, { org_id, scenario_id, region, run_id: null, why }, now);
}
