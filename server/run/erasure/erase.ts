import { eraseOrg, eraseSome, orgsToErase, someTracesOf } from "../../../store/records/orgs.ts";
import { isContradiction } from "../../../store/records/outcome.ts";
import type { Deps } from "../../deps.ts";
import { ERASE_ORG } from "../../identity/orgs/kinds.ts";
import { commit } from "../../jobs/commit.ts";
import type { JobContext, PeriodicTask } from "../../jobs/types.ts";
import { removeTraceForGood } from "../../trace/tiers/remove.ts";

const AT_ONCE = 50;
const LOOK_EVERY_MS = 10 * 60_000;
const ERASER = { type: "system", id: "tracedeck", ip: null } as const;

/**
 * Removes all that a deleted org has left: traces with their files, runs, which end, what else may be much, and the row of
 * the org with the rest. It may stop anywhere and go on later. What a request that was under way brings in
 * meanwhile keeps the row, and is removed in the next round.
 */
export async function eraseDeleted(
  deps: Deps,
  orgId: string,
  { signal, heartbeat }: Pick<JobContext, "signal" | "heartbeat">,
): Promise<void> {
  // Only what was deleted is erased, whatever a job says.
  let refused: Error | null = null;
  while ((await orgsToErase(deps.store.records)).includes(orgId)) {
    signal.throwIfAborted();
    await heartbeat();
    if (await eraseRound(deps, orgId)) refused = null;
    // Nothing has come in since, so that something else keeps the row.
    else if (refused) throw refused;
    else refused = await refusal(deps, orgId);
  }
}

/** Removes the row of the org; what keeps it, null when nothing does. */
async function refusal({ store }: Deps, orgId: string): Promise<Error | null> {
  try {
    await eraseOrg(store.records, orgId);
    return null;
  } catch (error) {
    if (isContradiction(store.records, error)) return error;
    throw error;
  }
}

/** Whether there was something to remove. */
async function eraseRound(deps: Deps, orgId: string): Promise<boolean> {
  const traces = await someTracesOf(deps.store.records, orgId, AT_ONCE);
  for (const trace of traces) await removeTraceForGood(deps, { ...ERASER, orgId }, trace);
  if (traces.length > 0) return true;
  const erased = await commit(deps, (trx) => eraseSome(trx, orgId, AT_ONCE));
  // Whoever carries one out elsewhere learns that it is gone when it next tells of it.
  const { runs, replays } = deps.runState;
  for (const id of erased) for (const { controls } of [runs, replays]) controls.get(id)?.abort();
  return erased.length > 0;
}

/** Adds the job again for orgs whose erasure has failed too often. */
export function eraseTask(deps: Deps): PeriodicTask {
  const { records } = deps.store;
  return {
    name: "deleted orgs",
    everyMs: LOOK_EVERY_MS,
    of: "store",
    isDue: async () => (await orgsToErase(records)).length > 0,
    run: () =>
      commit(deps, async (trx, after) => {
        for (const id of await orgsToErase(trx))
          await after.add({ kind: ERASE_ORG, payload: { org_id: id }, dedupeKey: id });
      }),
  };
}
