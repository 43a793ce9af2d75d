import { pastTraces } from "../../../store/records/histories.ts";
import { type MenderRow, rejectedPatches } from "../../../store/records/mender.ts";
import { ordOf, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type KeptLease, keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import { compileWithUsed } from "../../run/replays/edits.ts";
import { withCauseInput } from "../../trace/causes/make.ts";
import type { EvidenceLine, SourcePatch } from "../diagnosis/types.ts";
import type { DiagnoseInput, ReadyMending, TaskDiagnosis } from "./diagnose-task.ts";
import { judgePatch } from "./patch.ts";
import type { JudgedProposal, ProposalInput } from "./proposal-task.ts";
import { type KeptEvidence, note } from "./verification.ts";

export const MOST_CANDIDATES = 3;
const MOST_HISTORY = 13;

/** The job that an attempt is worked on in. */
export interface Context extends Pick<JobContext, "signal" | "heartbeat"> {
  /** Whether it is the one that may wait for a model. */
  mayAsk: boolean;
}

/** A change that waits for its turn to be tried. */
export interface Candidate {
  text: string;
  /** Of the scenario's file; empty where that stays. */
  diff: string;
  sources: SourcePatch[];
  hash: string;
  origin: "rules" | "model";
  summary: string;
  classification: ReadyMending["kind"];
  confidence: number;
  fromStep: number;
  evidence: KeptEvidence[];
}

/** The failed trace of an attempt's scenario, as it is looked at. */
export interface Looked {
  row: MenderRow;
  trace: TraceRow;
  scenario: CompiledScenario;
  text: string;
  codeSha: string | null;
}

export interface TraceDiagnosis extends TaskDiagnosis {
  traceId: string;
  baselineId: string | null;
}

/**
 * What a failed trace of the attempt's scenario is, and how it may be mended; null when its files cannot be read.
 * @param isTold whether it is to be told to a model
 */
export async function diagnose(
  deps: Deps,
  of: Looked,
  context: Context,
  isTold = false,
): Promise<TraceDiagnosis | null> {
  return inTask(deps, of, context, async (input, kept, baselineId) => {
    const given: DiagnoseInput = { ...input, isTold };
    const found = await deps.tasks.run<TaskDiagnosis | null>("gate.diagnose", given, kept);
    return found && { ...found, traceId: of.trace.id, baselineId };
  });
}

/** What becomes of a proposal for a failed trace; null when its files cannot be read. */
export async function judgeProposal(
  deps: Deps,
  of: Looked,
  context: Context,
  proposal: Pick<ProposalInput, "proposal" | "mayEditSteps">,
): Promise<JudgedProposal | null> {
  return inTask(deps, of, context, async (input, kept) => {
    const given: ProposalInput = { ...input, ...proposal };
    return deps.tasks.run<JudgedProposal | null>("gate.judge_proposal", given, kept);
  });
}

async function inTask<Result>(
  deps: Deps,
  { row, trace, scenario, text, codeSha }: Looked,
  context: Context,
  run: (input: DiagnoseInput, kept: KeptLease, baselineId: string | null) => Promise<Result | null>,
): Promise<Result | null> {
  const file = { name: row.path, text };
  const { used } = await compileWithUsed(deps, row.org_id, file);
  const past = await pastTraces(
    deps.store.records,
    { orgId: row.org_id, scenarioId: row.scenario_id },
    { limit: MOST_HISTORY, until: (await ordOf(deps.store.records, row.trace_id)) - 1 },
  );
  const history = past.flatMap(({ status, failure_signature, code_sha }) =>
    status === "passed" || status === "failed"
      ? [{ status, isSame: failure_signature === row.failure_signature, codeSha: code_sha } as const]
      : [],
  );
  return keepingLease(deps, context, (kept) =>
    withCauseInput(deps, trace, (cause, baselineId) =>
      run({ cause, scenario, file, used, failedStepId: null, history, codeSha }, kept, baselineId),
    ),
  );
}

/** The changes that the guardrails let through and nobody has rejected, and what is to be said of the others. */
export async function candidatesOf(
  deps: Deps,
  row: MenderRow,
  diagnosis: Pick<TraceDiagnosis, "evidence" | "mendings" | "traceId" | "baselineId">,
  origin: Candidate["origin"] = "rules",
): Promise<{ candidates: Candidate[]; evidence: KeptEvidence[] }> {
  const keep = (line: EvidenceLine): KeptEvidence => ({
    text: line.text,
    trace_id: line.of === "pass" ? diagnosis.baselineId : diagnosis.traceId,
    step_id: line.step_id,
    events: line.events,
  });
  const evidence = diagnosis.evidence.map(keep);
  const rejected = await rejectedPatches(deps.store.records, row.scenario_id);
  const candidates: Candidate[] = [];
  for (const mending of diagnosis.mendings.slice(0, MOST_CANDIDATES)) {
    const file = { name: row.path, text: row.base_text };
    const { text, sources, summary, kind, confidence, fromStep } = mending;
    const { diff, hash, refusals } = await judgePatch(deps, row.org_id, file, text, {
      ...{ sources, isBorneOut: true },
    });
    const known = evidence.map((line) => line.text);
    evidence.push(
      ...refusals
        .map(({ message }) => note(`Refused: ${message}`, row))
        .filter((line) => !known.includes(line.text)),
    );
    if (refusals.length > 0) continue;
    if (rejected.has(hash)) {
      evidence.push(note(`"${summary}" was rejected before, and is not proposed again.`, row));
      continue;
    }
    candidates.push({
      ...{ text, diff, sources, hash, origin, summary, confidence, fromStep },
      classification: kind,
      evidence: mending.evidence.map(keep),
    });
  }
  return { candidates, evidence };
}
