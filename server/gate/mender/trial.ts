import type { MenderRow } from "../../../store/records/mender.ts";
import { findReplay, type ShownReplay } from "../../../store/records/replays.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { CaughtUp } from "../../run/playback/catch-up.ts";
import type { ReplayPlan } from "../../run/replays/execute.ts";
import { type Candidate, type Context, candidatesOf, diagnose, MOST_CANDIDATES } from "./candidates.ts";
import type { TaskDiagnosis } from "./diagnose-task.ts";
import { whyLessDone } from "./effects-of.ts";
import { askAbout, end, isGuess, outcomeOf, saidBy, tryOut, waitingOf } from "./moves.ts";
import {
  blank,
  type KeptEvidence,
  note,
  type Verification,
  verificationOf,
  withLines,
} from "./verification.ts";

const MOST_ROUNDS = 6;

const DRIFTS: ReadonlySet<string> = new Set(["locator_drift", "assertion_drift"]);

/** The steps were repeated with the change that comes first. */
export async function afterTrial(
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
  const message =
    outcome === "passed"
      ? await keepingLease(deps, context, (kept) => whyLessDone(deps, replay, kept))
      : null;
  if (message !== null) {
    const line = { text: message, trace_id: replay.replay_trace_id, step_id: null, events: [] };
    return end(deps, row, {
      ...{ classification: "app_regression", confidence: 0.6, summary: message, waiting: "[]" },
      evidence: withLines(row, [line]),
      verification: JSON.stringify({ ...verification, status: "failed", message }),
    });
  }
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
  if (heard === "later") return;
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
    // A change of the scenario and one of a script would not say which of the two it was.
    candidates: candidates
      .filter(({ sources }) => sources.length === 0)
      .map((candidate) => ({
        ...candidate,
        origin: tried.origin,
        summary: `${tried.summary} ${candidate.summary}`,
        fromStep: tried.fromStep,
        confidence: Math.round(tried.confidence * candidate.confidence * 110) / 100,
        classification: tried.classification,
        evidence: [...tried.evidence, ...candidate.evidence],
      })),
  };
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
