import { findAttempt, type MenderRow } from "../../../store/records/mender.ts";
import { findShownReplay, type ShownReplay } from "../../../store/records/replays.ts";
import { findRun } from "../../../store/records/runs.ts";
import { findScenarioFile } from "../../../store/records/scenarios.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { lastActUpTo } from "../diagnosis/last-act.ts";
import { type Candidate, type Context, candidatesOf, diagnose } from "./candidates.ts";
import type { TaskDiagnosis } from "./diagnose-task.ts";
import { askAbout, end, goOn, hasChanged, outcomeOf, prepared, tryOut, waitingOf } from "./moves.ts";
import { afterTrial } from "./trial.ts";
import {
  blank,
  type KeptEvidence,
  MOST_KEPT_EVIDENCE,
  note,
  type Verification,
  withLines,
} from "./verification.ts";

/** Takes an attempt one step further. What was done before is found done: each step is one transaction, with what follows it. */
export async function mend(deps: Deps, attemptId: string, context: Context): Promise<void> {
  const row = await findAttempt(deps.store.records, attemptId);
  if (!row || row.stage === "ended") return;
  if (row.stage === "diagnosing") return begin(deps, row, context);
  const replay = row.replay_id === null ? null : await findShownReplay(deps.store.records, row.replay_id);
  // One that goes on tells when it has ended.
  if (replay && (replay.status === "queued" || replay.status === "running")) return;
  if (row.stage === "repeating") return afterRepeat(deps, row, replay, context);
  return afterTrial(deps, row, replay, context);
}

async function begin(deps: Deps, row: MenderRow, context: Context): Promise<void> {
  const { records } = deps.store;
  const [run, trace, scenario] = [
    await findRun(records, row.run_id),
    await findTrace(records, row.trace_id),
    await findScenarioFile(records, row.org_id, row.scenario_id),
  ];
  if (!run || !trace || !scenario) return end(deps, row, { summary: "The failed run or its trace is gone." });
  const plan = JSON.parse(run.plan) as RunPlan;
  const diagnosis = await diagnose(
    deps,
    { row, trace, scenario: plan.scenario, text: row.base_text, codeSha: plan.code_sha ?? null },
    context,
  );
  if (!diagnosis)
    return end(deps, row, { summary: "The trace's files cannot be read, so that nothing can be said." });
  const { candidates, evidence } = await candidatesOf(deps, row, diagnosis);
  const isOther = hasChanged(scenario, row);
  if (isOther)
    evidence.push(note("The scenario's file was changed since the run: no change of it is proposed.", row));
  const kept = isOther ? [] : candidates;
  const said = {
    classification: diagnosis.classification,
    confidence: diagnosis.confidence,
    summary: diagnosis.summary,
    evidence: JSON.stringify(evidence.slice(0, MOST_KEPT_EVIDENCE)),
    waiting: JSON.stringify(kept),
  };
  const known = { ...row, ...said };
  // A run that was made a second time before it counted has been repeated.
  if (run.attempt > 1) return next(deps, known, null, said, context);
  const fromStep = lastActUpTo(plan.scenario, failedStepOf(diagnosis, kept));
  const repeat = await prepared(deps, row, fromStep, { diff: "", sources: [] });
  // Where something that was sent is not sent again, a failure says nothing.
  if (repeat.replay === null || repeat.replay.planned.left_out.length > 0)
    return next(deps, known, null, said, context);
  await goOn(deps, known, "repeating", repeat.replay, said);
}

/** The steps were repeated as they are. */
async function afterRepeat(
  deps: Deps,
  row: MenderRow,
  replay: ShownReplay | null,
  context: Context,
): Promise<void> {
  const outcome = outcomeOf(replay);
  const unchanged =
    replay === null ? null : { replay_id: replay.id, trace_id: replay.replay_trace_id, outcome };
  if (outcome !== "passed") return next(deps, row, unchanged, {}, context);
  const line: KeptEvidence = {
    text: "Repeated without any change, the same steps passed.",
    trace_id: replay!.replay_trace_id,
    step_id: null,
    events: [],
  };
  const { from_step } = replay!;
  return end(deps, row, {
    classification: "flake",
    confidence: row.classification === "flake" ? Math.max(row.confidence, 0.9) : 0.8,
    summary: "It passed when it was repeated without a change: it fails now and then.",
    evidence: withLines(row, [line]),
    waiting: "[]",
    verification: JSON.stringify({
      ...blank(from_step),
      status: "not_possible",
      message: "Nothing was changed.",
      unchanged,
    }),
  });
}

/** What comes when the failure was repeated, or cannot be. */
async function next(
  deps: Deps,
  row: MenderRow,
  unchanged: Verification["unchanged"],
  changes: Partial<MenderRow>,
  context: Context,
): Promise<void> {
  const known = waitingOf(row);
  const heard = known.length > 0 ? null : await askAbout(deps, row, context);
  if (heard === "later") return;
  const waiting = heard?.candidates ?? known;
  const verification = JSON.stringify({
    ...blank(waiting[0]?.fromStep ?? 1),
    status: "not_possible",
    message: "There is no change to be tried.",
    unchanged,
  });
  const evidence = withLines({ evidence: changes.evidence ?? row.evidence }, heard?.evidence ?? []);
  const said = { ...changes, evidence };
  if (waiting.length === 0) return end(deps, row, { ...said, ...(unchanged && { verification }) });
  return tryOut(deps, row, waiting, unchanged, said);
}

/** The number of the step that failed, as evidence and changes name it. */
function failedStepOf(
  { evidence }: Pick<TaskDiagnosis, "evidence">,
  candidates: readonly Candidate[],
): number {
  const named = evidence.map(({ step_id }) => Number(step_id?.slice(1))).filter(Number.isInteger);
  return candidates[0]?.fromStep ?? named[0] ?? 1;
}
