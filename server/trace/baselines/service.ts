import { findLastPass } from "../../../store/records/baselines.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { requireTrace } from "../access.ts";
import { toTraceItem } from "../model.ts";
import type { BaselineAnswer } from "./model.ts";

/**
 * What a trace is best compared with: the last one of its scenario that passed before it, whatever its tier.
 * @throws AppError `not_found`, `wrong_org`
 */
export async function showBaseline(
  deps: Pick<Deps, "store" | "clock">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<BaselineAnswer> {
  const found = await findLastPass(deps.store.records, await requireTrace(deps, actor, id));
  return { baseline: found && toTraceItem(found, deps.clock.now()) };
}
