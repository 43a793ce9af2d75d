import type { Trx } from "../../../store/records/db.ts";
import {
  attemptAt,
  changeAttempt,
  hasLaterAttempt,
  insertAttempt,
  type NewAttempt,
} from "../../../store/records/mender.ts";
import { findRun, isOfStrangers, type RunRow } from "../../../store/records/runs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import type { Classification } from "../diagnosis/types.ts";
import { basisOf } from "./fix-of.ts";
import { MEND } from "./kinds.ts";
import { verificationOf } from "./verification.ts";

/** Runs whose failure is looked at. A shadow diff compares, and fails nobody. */
const TYPES: readonly RunRow["type"][] = ["pr", "schedule", "manual"];

/** The path of the file that a scenario was compiled from. */
export const pathOf = ({ steps, slug }: CompiledScenario): string =>
  steps.find(({ from }) => from === null)?.at.file ?? `${slug}.scenario.md`;

/**
 * Begins an attempt for a run that failed for good, where its scenario asks for one. Of the same failure of the same file there is
 * one: whoever comes second begins none.
 */
export async function lookAtRun(deps: Deps, runId: string): Promise<void> {
  const { records } = deps.store;
  const run = await findRun(records, runId);
  if (run?.status !== "failed" || !TYPES.includes(run.type) || run.trace_id === null) return;
  // No change of it could be tried, and that would use up the attempt at this failure.
  if (isOfStrangers(run)) return;
  const { scenario, source } = JSON.parse(run.plan) as RunPlan;
  if (!scenario.mender || source === null || source === undefined) return;
  if (run.check_id !== null && (await hasLaterAttempt(records, { ...run, check_id: run.check_id }))) return;
  const trace = await findTrace(records, run.trace_id);
  if (!trace || trace.failure_signature === null) return;
  const signature = trace.failure_signature;
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  await commit(deps, async (within, after) => {
    const begun = {
      org_id: run.org_id,
      scenario_id: run.scenario_id,
      run_id: run.id,
      trace_id: trace.id,
      failure_signature: signature,
      basis: basisOf(source),
      promoted_replay_id: null,
      status: "proposed",
      stage: "diagnosing",
      origin: "rules",
      classification: "unknown" satisfies Classification,
      confidence: 0,
      summary: "It is being looked at.",
      evidence: "[]",
      path: pathOf(scenario),
      base_text: source,
      updated_at: now,
    } as const;
    const isNew = await insertAttempt(within, { ...begun, id, created_at: now });
    const begunId = isNew ? id : await openAgain(within, begun);
    if (begunId !== null) await after.add({ kind: MEND, payload: { attempt_id: begunId } });
  });
}

/**
 * An attempt that ended for a run that could not be repeated (of strangers, or gone), and was never tried, begins anew with this one.
 * @returns its id; null when there is none
 */
async function openAgain(
  within: Trx,
  begun: Omit<NewAttempt, "id" | "created_at"> & { updated_at: number },
): Promise<string | null> {
  const known = await attemptAt(within, begun);
  if (known?.stage !== "ended" || known.status === "rejected") return null;
  const { replay_id, unchanged } = verificationOf(known);
  if (replay_id !== null || unchanged !== null) return null;
  const run = await findRun(within, known.run_id);
  if (run && !isOfStrangers(run)) return null;
  const blank = { patch: null, patch_hash: null, source_patches: "[]", waiting: "[]", verification: null };
  const is = { stage: known.stage, status: [known.status] };
  const { org_id: _, ...changes } = begun;
  return (await changeAttempt(within, known.id, is, { ...changes, ...blank, rounds: 0 })) ? known.id : null;
}
