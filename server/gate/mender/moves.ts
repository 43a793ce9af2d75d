import { changeAttempt, findAttempt, type MenderRow } from "../../../store/records/mender.ts";
import type { ShownReplay } from "../../../store/records/replays.ts";
import { findRun } from "../../../store/records/runs.ts";
import { findScenarioFile } from "../../../store/records/scenarios.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { AuditActor } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { type PreparedReplay, prepareReplay, queueReplay } from "../../run/replays/service.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import type { SourcePatch } from "../diagnosis/types.ts";
import { askForChange, type Heard, isWorthAsking } from "./ask-model.ts";
import type { Candidate, Context } from "./candidates.ts";
import { ASK } from "./kinds.ts";
import { blank, endedVerification, type Verification, withLines } from "./verification.ts";

const mender = (orgId: string): AuditActor => ({ type: "system", id: "mender", orgId, ip: null });

/** Repeats the failure with the first of these changes. */
export async function tryOut(
  deps: Deps,
  row: MenderRow,
  waiting: Candidate[],
  unchanged: Verification["unchanged"],
  changes: Partial<MenderRow>,
): Promise<void> {
  const candidate = waiting[0]!;
  const shown = {
    ...changes,
    waiting: JSON.stringify(waiting),
    patch: candidate.diff === "" ? null : candidate.diff,
    source_patches: JSON.stringify(candidate.sources),
    patch_hash: candidate.hash,
    origin: candidate.origin,
    ...(!isGuess(candidate) && saidBy(candidate)),
    evidence: withLines({ evidence: changes.evidence ?? row.evidence }, candidate.evidence),
  };
  const trial = await prepared(deps, row, candidate.fromStep, candidate);
  if (trial.replay === null)
    return end(
      deps,
      { ...row, ...shown },
      {
        ...shown,
        waiting: "[]",
        verification: JSON.stringify({
          ...blank(candidate.fromStep),
          status: "not_possible",
          message: trial.why,
          unchanged,
        }),
      },
    );
  await goOn(deps, row, "verifying", trial.replay, {
    ...shown,
    verification: JSON.stringify({ ...blank(candidate.fromStep), replay_id: trial.replay.id, unchanged }),
  });
}

/** Queues a replay and waits for it, in one transaction: killed in between there is both or neither. */
export async function goOn(
  deps: Deps,
  row: MenderRow,
  stage: "repeating" | "verifying",
  replay: PreparedReplay,
  changes: Partial<MenderRow>,
): Promise<void> {
  await commit(deps, async (within, after) => {
    const isOurs = await changeAttempt(
      within,
      row.id,
      { stage: row.stage, replayId: row.replay_id },
      { ...changes, stage, replay_id: replay.id, rounds: row.rounds + 1, updated_at: deps.clock.now() },
    );
    if (isOurs) await queueReplay(within, after, mender(row.org_id), replay);
  });
}

/** An attempt without a patch has failed; one with a patch stays proposed until a replay with it has passed. */
export async function end(deps: Deps, row: MenderRow, changes: Partial<MenderRow>): Promise<void> {
  const { patch, source_patches, verification, summary } = { ...row, ...changes };
  const isPatched = patch !== null || source_patches !== "[]";
  const isDropped = changes.classification === "flake";
  await commit(
    deps,
    async (within) => {
      await changeAttempt(
        within,
        row.id,
        { stage: row.stage, replayId: row.replay_id },
        {
          status: isPatched && !isDropped ? "proposed" : "failed",
          ...changes,
          ...(isDropped && { patch: null, source_patches: "[]", patch_hash: null }),
          verification: endedVerification({ verification }, summary),
          stage: "ended",
          replay_id: null,
          updated_at: deps.clock.now(),
        },
      );
    },
    async () => (await findAttempt(deps.store.records, row.id))?.stage === "ended",
  );
}

export async function prepared(
  deps: Deps,
  row: MenderRow,
  fromStep: number,
  { diff, sources }: { diff: string; sources: readonly SourcePatch[] },
): Promise<{ replay: PreparedReplay; why: null } | { replay: null; why: string }> {
  try {
    const replay = await prepareReplay(deps, { orgId: row.org_id, mayWriteScenarios: true }, row.trace_id, {
      from_step: fromStep,
      triggered_via: "mender",
      edits: {
        ...(diff !== "" && { scenario_diff: diff }),
        ...(sources.length > 0 && { source_diffs: [...sources] }),
      },
    });
    return { replay, why: null };
  } catch (error) {
    // What keeps a trace from being replayed is told to people.
    if (error instanceof AppError) return { replay: null, why: error.message };
    throw error;
  }
}

/**
 * Where the rules know no change, a model is asked for one.
 * @returns `later` when the job that may wait for a model takes the same step anew; null when nothing is to be asked
 */
export async function askAbout(
  deps: Deps,
  row: MenderRow,
  context: Context,
): Promise<Heard | "later" | null> {
  if (!isWorthAsking(deps, row)) return null;
  if (!context.mayAsk) {
    await commit(deps, (_, after) =>
      after.add({ kind: ASK, payload: { attempt_id: row.id }, dedupeKey: `${row.id} ${row.replay_id}` }),
    );
    return "later";
  }
  const { records } = deps.store;
  const [run, trace, scenario] = [
    await findRun(records, row.run_id),
    await findTrace(records, row.trace_id),
    await findScenarioFile(records, row.org_id, row.scenario_id),
  ];
  if (!run || !trace || !scenario || hasChanged(scenario, row)) return null;
  const plan = JSON.parse(run.plan) as RunPlan;
  const codeSha = plan.code_sha ?? null;
  return askForChange(deps, { row, trace, scenario: plan.scenario, text: row.base_text, codeSha }, context);
}

/** Whether the file is another one by now than the one that failed. */
export const hasChanged = ({ source }: { source: string | null }, { base_text }: MenderRow): boolean =>
  source !== null && source !== base_text;

/** What an attempt says of its failure with a change. */
export const saidBy = ({ classification, confidence, summary }: Candidate) => ({
  ...{ classification, summary },
  confidence: Math.min(0.95, confidence),
});

/** What changed in a script may have nothing to do with the failure: nothing is said of it before a repetition has passed. */
export const isGuess = ({ diff, origin }: Candidate): boolean => diff === "" && origin === "rules";

/** Those of a server before this one know no sources. */
export const waitingOf = (row: MenderRow): Candidate[] =>
  (JSON.parse(row.waiting) as Candidate[]).map((one) => ({
    ...one,
    sources: one.sources ?? [],
    origin: one.origin ?? "rules",
  }));

/** How a repetition ended. */
export function outcomeOf(replay: ShownReplay | null): "passed" | "failed" | "unknown" {
  if (replay?.status !== "succeeded") return "unknown";
  return replay.result_status === "passed" || replay.result_status === "failed"
    ? replay.result_status
    : "unknown";
}
