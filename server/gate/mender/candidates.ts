import { pastTraces } from "../../../store/records/histories.ts";
import { type MenderRow, rejectedPatches } from "../../../store/records/mender.ts";
import { ordOf, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
import type { CompiledScenario } from "../../run/language/ast.ts";
import { compileWithUsed } from "../../run/replays/edits.ts";
import { withCauseInput } from "../../trace/causes/make.ts";
import type { EvidenceLine } from "../diagnosis/types.ts";
import type { DiagnoseInput, ReadyMending, TaskDiagnosis } from "./diagnose-task.ts";
import { judgePatch } from "./patch.ts";
import { type KeptEvidence, note } from "./verification.ts";

export const MOST_CANDIDATES = 3;
const MOST_HISTORY = 13;

/** The job that an attempt is worked on in. */
export type Context = Pick<JobContext, "signal" | "heartbeat">;

/** A change that waits for its turn to be tried. */
export interface Candidate {
  text: string;
  diff: string;
  hash: string;
  summary: string;
  classification: ReadyMending["kind"];
  confidence: number;
  fromStep: number;
  evidence: KeptEvidence[];
}

/** What a failed trace of the attempt's scenario is, and how it may be mended; null when its files cannot be read. */
export async function diagnose(
  deps: Deps,
  of: { row: MenderRow; trace: TraceRow; scenario: CompiledScenario; text: string; codeSha: string | null },
  context: Context,
): Promise<(TaskDiagnosis & { traceId: string; baselineId: string | null }) | null> {
  const { row, trace, scenario, text, codeSha } = of;
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
    withCauseInput(deps, trace, async (cause, baselineId) => {
      const input: DiagnoseInput = { cause, scenario, file, used, failedStepId: null, history, codeSha };
      const found = await deps.tasks.run<TaskDiagnosis | null>("gate.diagnose", input, kept);
      return found && { ...found, traceId: trace.id, baselineId };
    }),
  );
}

/** The changes that the guardrails let through and nobody has rejected, and what is to be said of the others. */
export async function candidatesOf(
  deps: Deps,
  row: MenderRow,
  diagnosis: TaskDiagnosis & { traceId: string; baselineId: string | null },
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
    const { diff, hash, refusals } = await judgePatch(deps, row.org_id, file, mending.text);
    const known = evidence.map(({ text }) => text);
    evidence.push(
      ...refusals
        .map(({ message }) => note(`Refused: ${message}`, row))
        .filter(({ text }) => !known.includes(text)),
    );
    if (refusals.length > 0) continue;
    if (rejected.has(hash)) {
      evidence.push(note(`"${mending.summary}" was rejected before, and is not proposed again.`, row));
      continue;
    }
    const { text, summary, kind, confidence, fromStep } = mending;
    candidates.push({
      ...{ text, diff, hash, summary, confidence, fromStep },
      classification: kind,
      evidence: mending.evidence.map(keep),
    });
  }
  return { candidates, evidence };
}
