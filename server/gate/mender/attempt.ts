import { changeAttempt, findAttempt, type MenderRow } from "../../../store/records/mender.ts";
import { findReplay, findShownReplay, type ShownReplay } from "../../../store/records/replays.ts";
import { findRun } from "../../../store/records/runs.ts";
import { findScenarioFile } from "../../../store/records/scenarios.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { AuditActor } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import type { CaughtUp } from "../../run/playback/catch-up.ts";
import type { ReplayPlan } from "../../run/replays/execute.ts";
import { type PreparedReplay, prepareReplay, queueReplay } from "../../run/replays/service.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { lastActUpTo } from "../diagnosis/last-act.ts";
import type { SourcePatch } from "../diagnosis/types.ts";
import { askForChange, type Heard } from "./ask-model.ts";
import {
  type Candidate,
  type Context,
  candidatesOf,
  diagnose,
  effectsLostBy,
  MOST_CANDIDATES,
} from "./candidates.ts";
import type { TaskDiagnosis } from "./diagnose-task.ts";
import {
  blank,
  type KeptEvidence,
  MOST_KEPT_EVIDENCE,
  note,
  type Verification,
  verificationOf,
  withLines,
} from "./verification.ts";

const MOST_ROUNDS = 6;

const DRIFTS: ReadonlySet<string> = new Set(["locator_drift", "assertion_drift"]);

const mender = (orgId: string): AuditActor => ({ type: "system", id: "mender", orgId, ip: null });

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

/** The steps were repeated with the change that comes first. */
async function afterTrial(
  deps: Deps,
  row: MenderRow,
  replay: ShownReplay | null,
  context: Context,
): Promise<void> {
  const [tried, ...others] = waitingOf(row);
  const { unchanged } = verificationOf(row);
  if (!tried || !replay) return end(deps, row, { summary: row.summary });
  const verification: Verification = {
    ...blank(replay.from_step),
    replay_id: replay.id,
    trace_id: replay.replay_trace_id,
    ...((JSON.parse(replay.caught_up ?? "null") as CaughtUp | null) ?? {}),
    unchanged,
  };
  const outcome = outcomeOf(replay);
  const lost = outcome === "passed" ? await lostBy(deps, replay, context) : [];
  if (lost.length > 0)
    return end(deps, row, {
      classification: "app_regression",
      confidence: 0.6,
      summary: `With the change the scenario passes, but it no longer does what it did: ${lost[0]}`,
      evidence: withLines(
        row,
        lost.map((text) => ({ text, trace_id: replay.replay_trace_id, step_id: null, events: [] })),
      ),
      waiting: "[]",
      verification: JSON.stringify({ ...verification, status: "failed", message: lost.join(" ") }),
    });
  if (outcome === "passed")
    return end(deps, row, {
      ...saidBy(tried),
      status: "verified",
      confidence: Math.min(0.98, Math.round((tried.confidence + 0.1) * 100) / 100),
      evidence: withLines(row, [
        {
          text: "Repeated with the change, the scenario passes to its end.",
          trace_id: replay.replay_trace_id,
          step_id: null,
          events: [],
        },
      ]),
      waiting: "[]",
      verification: JSON.stringify({ ...verification, status: "passed", message: null }),
    });
  const isLost = outcome === "unknown" && replay.error_reason === "runner_lost";
  if (row.rounds < MOST_ROUNDS) {
    if (isLost) return tryOut(deps, row, [tried, ...others], unchanged, {});
    const isDeeper = outcome === "failed" && tried.sources.length === 0;
    const deeper = isDeeper ? await lookDeeper(deps, row, { tried, replay }, context) : null;
    const waiting = [...(deeper?.candidates ?? []), ...others].slice(0, MOST_CANDIDATES);
    if (waiting.length > 0) return tryOut(deps, row, waiting, unchanged, {});
    // What it fails of beyond the change is what has to be said first.
    if (deeper && !DRIFTS.has(deeper.classification))
      return end(deps, row, {
        classification: deeper.classification,
        confidence: deeper.confidence,
        summary: `${tried.summary} Beyond that: ${deeper.summary}`,
        evidence: withLines(row, deeper.evidence.slice(0, 4)),
        waiting: "[]",
        verification: JSON.stringify({
          ...verification,
          status: "failed",
          message: await whyFailed(deps, replay),
        }),
      });
  }
  const isWaste = outcome === "failed" && isGuess(tried);
  const heard =
    tried.origin === "rules" && row.rounds < MOST_ROUNDS ? await askAbout(deps, row, context) : null;
  const evidence = withLines(row, [
    ...(isWaste ? [note("With the scripts as the last pass was served them, it fails as well.", row)] : []),
    ...(heard?.evidence ?? []),
  ]);
  if (heard && heard.candidates.length > 0)
    return tryOut(deps, row, heard.candidates, unchanged, { evidence });
  return end(deps, row, {
    ...(isWaste
      ? { patch: null, source_patches: "[]", patch_hash: null }
      : { confidence: Math.round(row.confidence * 60) / 100 }),
    evidence,
    waiting: "[]",
    verification: JSON.stringify({
      ...verification,
      status: "failed",
      message: await whyFailed(deps, replay),
    }),
  });
}

/** A change may bring a run to where the next thing has changed: the failed repetition is looked at like the run. */
async function lookDeeper(
  deps: Deps,
  row: MenderRow,
  { tried, replay }: { tried: Candidate; replay: ShownReplay },
  context: Context,
): Promise<
  | (Pick<TaskDiagnosis, "classification" | "confidence" | "summary"> & {
      candidates: Candidate[];
      evidence: KeptEvidence[];
    })
  | null
> {
  const { records } = deps.store;
  const trace = replay.replay_trace_id === null ? null : await findTrace(records, replay.replay_trace_id);
  const whole = await findReplay(records, replay.id);
  if (!trace || !whole || trace.failure_signature === row.failure_signature) return null;
  const plan = JSON.parse(whole.plan) as ReplayPlan;
  const diagnosis = await diagnose(
    deps,
    { row, trace, scenario: plan.scenario, text: tried.text, codeSha: null },
    context,
  );
  if (!diagnosis) return null;
  const { candidates, evidence } = await candidatesOf(deps, row, diagnosis);
  const { classification, confidence, summary } = diagnosis;
  return {
    classification,
    confidence,
    summary,
    evidence,
    candidates: candidates.map((candidate) => ({
      ...candidate,
      summary: `${tried.summary} ${candidate.summary}`,
      fromStep: tried.fromStep,
      confidence: Math.round(tried.confidence * candidate.confidence * 110) / 100,
      classification: tried.classification,
      evidence: [...tried.evidence, ...candidate.evidence],
    })),
  };
}

/** What the repetition no longer does. What cannot be read says nothing against it. */
async function lostBy(deps: Deps, { replay_trace_id }: ShownReplay, context: Context): Promise<string[]> {
  const trace = replay_trace_id === null ? null : await findTrace(deps.store.records, replay_trace_id);
  return (trace && (await effectsLostBy(deps, trace, context))) ?? [];
}

/** Where the rules know no change, a model is asked for one. */
async function askAbout(deps: Deps, row: MenderRow, context: Context): Promise<Heard | null> {
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
const hasChanged = ({ source }: { source: string | null }, { base_text }: MenderRow): boolean =>
  source !== null && source !== base_text;

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

/** What an attempt says of its failure with a change. */
const saidBy = ({ classification, confidence, summary }: Candidate) => ({
  ...{ classification, summary },
  confidence: Math.min(0.95, confidence),
});

/** What changed in a script may have nothing to do with the failure: nothing is said of it before a repetition has passed. */
const isGuess = ({ diff, origin }: Candidate): boolean => diff === "" && origin === "rules";

/** Repeats the failure with the first of these changes. */
async function tryOut(
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
async function goOn(
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
  const { patch, source_patches } = { ...row, ...changes };
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
          stage: "ended",
          replay_id: null,
          updated_at: deps.clock.now(),
        },
      );
    },
    async () => (await findAttempt(deps.store.records, row.id))?.stage === "ended",
  );
}

async function prepared(
  deps: Deps,
  row: MenderRow,
  fromStep: number,
  { diff, sources }: { diff: string; sources: readonly SourcePatch[] },
): Promise<{ replay: PreparedReplay; why: null } | { replay: null; why: string }> {
  try {
    const replay = await prepareReplay(deps, { orgId: row.org_id }, row.trace_id, {
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

/** The number of the step that failed, as evidence and changes name it. */
function failedStepOf(
  { evidence }: Pick<TaskDiagnosis, "evidence">,
  candidates: readonly Candidate[],
): number {
  const named = evidence.map(({ step_id }) => Number(step_id?.slice(1))).filter(Number.isInteger);
  return candidates[0]?.fromStep ?? named[0] ?? 1;
}

function outcomeOf(replay: ShownReplay | null): "passed" | "failed" | "unknown" {
  if (replay?.status !== "succeeded") return "unknown";
  return replay.result_status === "passed" || replay.result_status === "failed"
    ? replay.result_status
    : "unknown";
}

async function whyFailed(deps: Deps, replay: ShownReplay): Promise<string> {
  const trace =
    replay.replay_trace_id === null ? null : await findTrace(deps.store.records, replay.replay_trace_id);
  return (
    replay.error_message ??
    trace?.failure_message ??
    "The scenario did not pass with the change."
  ).slice(0, 1000);
}

/** Those of a server before this one know no sources. */
const waitingOf = (row: MenderRow): Candidate[] =>
  (JSON.parse(row.waiting) as Candidate[]).map((one) => ({
    ...one,
    sources: one.sources ?? [],
    origin: one.origin ?? "rules",
  }));
