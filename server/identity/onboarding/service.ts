import { ANALYTICS_ACK, milestonesOf } from "../../../store/records/onboarding.ts";
import type { Deps } from "../../deps.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { type OnboardingStatus, toStatus } from "./model.ts";

/** How far the actor's org has come to its first watched scenario: read from its records, so that nothing has to be ticked off. */
export async function showOnboarding(
  { store }: Pick<Deps, "store">,
  { orgId }: Pick<Actor, "orgId">,
): Promise<OnboardingStatus> {
  return toStatus(await milestonesOf(store.records, orgId));
}

/**
 * Somebody says that the product's analytics leave synthetic visits out, which no program can see. The audit entry is the record;
 * saying it again adds nothing.
 */
export async function acknowledgeAnalytics(
  deps: CommitDeps & Pick<Deps, "store" | "clock">,
  actor: Actor,
): Promise<OnboardingStatus> {
  return commit(deps, async (within) => {
    const known = await milestonesOf(within, actor.orgId);
    if (known.analytics !== null) return toStatus(known);
    const at = deps.clock.now();
    await auditAct(within, actor, { at, action: ANALYTICS_ACK, target: actor.orgId, detail: {} });
    return toStatus({ ...known, analytics: at });
  });
}
