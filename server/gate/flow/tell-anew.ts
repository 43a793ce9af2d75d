import type { Trx } from "../../../store/records/db.ts";
import { gateScenarioOfRun } from "../../../store/records/gate-scenarios.ts";
import { changeGate, findGate, type GateRow } from "../../../store/records/gates.ts";
import { findPullRequest } from "../../../store/records/pull-requests.ts";
import type { After } from "../../jobs/commit.ts";
import { announce } from "./move.ts";

/** What was given up is told of no more. */
const STILL_TOLD = ["running", "passed", "failed", "error"] as const;

/**
 * Something beside the verdict changed that is told of a failed run: its gate is told anew, and the newest gate of the same pull request,
 * which may have failed in the same way. Other runs are none of ours.
 */
export async function tellAnew(trx: Trx, after: After, runId: string): Promise<void> {
  const scenario = await gateScenarioOfRun(trx, runId);
  const gate = scenario && (await findGate(trx, scenario.gate_id));
  if (!gate) return;
  const newest = await newestBeside(trx, gate);
  for (const id of new Set([gate.id, newest])) await tellGateAnew(trx, after, gate.org_id, id);
}

/** The newest gate of the same pull request is told anew. */
export async function tellNewestAnew(trx: Trx, after: After, gate: GateRow): Promise<void> {
  await tellGateAnew(trx, after, gate.org_id, await newestBeside(trx, gate));
}

async function tellGateAnew(trx: Trx, after: After, org_id: string, id: string): Promise<void> {
  if (await changeGate(trx, id, STILL_TOLD, {})) await announce(after, { id, org_id });
}

/** Of a gate's pull request; the gate itself where it has none. */
async function newestBeside(trx: Trx, gate: GateRow): Promise<string> {
  const pull = gate.pull_request_id === null ? null : await findPullRequest(trx, gate.pull_request_id);
  return pull?.gate_id ?? gate.id;
}
