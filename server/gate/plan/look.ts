import { findGate } from "../../../store/records/gates.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { CodeHostError } from "../code-host/types.ts";
import { moveGate } from "../flow/move.ts";
import { LOOK } from "../kinds.ts";
import { addressOf } from "./address.ts";
import { failPlan, LOOK_EVERY_MS } from "./plan.ts";
import { hostOf, PlanError } from "./source.ts";
import { startRuns } from "./start-runs.ts";

/** What cannot be asked now may be asked later; when the time is over it is our fault and not the commit's. */
interface Unasked {
  url: null;
  why: string;
  isOurs: true;
}

/**
 * Looks whether a gate that waits has an address by now: its runs are queued then. When its time is over it has failed, and says why.
 * @param turn counts the looks, so that each is a job of its own
 */
export async function lookForAddress(deps: Deps, gateId: string, turn: number | null): Promise<void> {
  const gate = await findGate(deps.store.records, gateId);
  if (gate?.status !== "waiting") return;
  const found = await addressOf(deps, gate, await hostOf(deps, gate)).catch(
    (error: unknown): PlanError | Unasked => {
      if (error instanceof PlanError) return error;
      if (error instanceof CodeHostError) return { url: null, why: error.message, isOurs: true };
      throw error;
    },
  );
  if (found instanceof PlanError) return failPlan(deps, gateId, found.message);
  await commit(deps, async (trx, after) => {
    const now = deps.clock.now();
    if (found.url !== null) {
      const changes = { base_url: found.url, reason: null };
      if (await moveGate(deps, trx, after, gate, "running", changes))
        await startRuns(deps, trx, after, gate, found.url);
      return;
    }
    if (now >= (gate.wait_until ?? 0)) {
      const reason = `There was nothing to run against within 10 minutes. ${found.why}`;
      await moveGate(deps, trx, after, gate, "isOurs" in found ? "error" : "failed", { reason });
      return;
    }
    if (turn === null) return;
    await after.add({
      kind: LOOK,
      payload: { gate_id: gateId, turn: turn + 1 },
      dedupeKey: `${gateId} ${turn + 1}`,
      runAt: Math.min(now + LOOK_EVERY_MS, Math.max(now, gate.wait_until ?? now)),
    });
  });
}
