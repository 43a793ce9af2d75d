import type { CompiledScenario } from "../../run/language/ast.ts";
import { compileScenario, type ScenarioFile } from "../../run/language/compile.ts";
import { type ReadEvidence, readEvidence } from "../../trace/causes/evidence.ts";
import type { CauseInput } from "../../trace/causes/source.ts";
import { attemptTelling } from "../../trace/format/cause/attempt.ts";
import { findCause } from "../../trace/format/cause/find-cause.ts";
import type { PageShot } from "../../trace/format/cause/run/run-facts.ts";
import type { RunEvidence } from "../../trace/format/cause/types.ts";
import { diagnose } from "../diagnosis/diagnose.ts";
import type { PageModel } from "../diagnosis/page-model.ts";
import { readPage } from "../diagnosis/read-page.ts";
import type { Diagnosis, EvidenceLine, Failure, Mending } from "../diagnosis/types.ts";
import { judgeScenario, type StepChanges } from "../guardrails/scenario.ts";
import { type ToldFailure, tellFailure } from "../proposal/told.ts";
import { editSteps, type StepEdit } from "../scenario-edit/edit.ts";

export interface DiagnoseInput {
  cause: CauseInput;
  /** As it ran: of a replay with changes, with them. */
  scenario: CompiledScenario;
  /** The file that it was compiled from. */
  file: ScenarioFile;
  /** What `use` of it meant, by slug. */
  used: Record<string, ScenarioFile>;
  failedStepId: string | null;
  history: Failure["history"];
  codeSha: string | null;
  /** Whether it is to be told to a model. */
  isTold?: boolean;
}

/** A mending with the file as it would be. */
export interface ReadyMending extends Omit<Mending, "edits"> {
  text: string;
}

export interface TaskDiagnosis extends Omit<Diagnosis, "mendings"> {
  mendings: ReadyMending[];
  /** Null where nobody asked for it. */
  told: ToldFailure | null;
}

const MOST_PAGES = 12;

/** The task `gate.diagnose`: what a failed run of a scenario failed of, and how its file may be mended. Null when nothing failed. */
export async function diagnoseTask(
  input: DiagnoseInput,
  progress: (progress: unknown) => void,
): Promise<TaskDiagnosis | null> {
  const read = await readEvidence(input.cause, progress);
  if (!read) return null;
  const failure = await failureOf(input, read);
  if (!failure) return nothingKnown("The run ended before or after its steps: no step failed.", []);
  const { step } = failure;
  const told = input.isTold && step.from === null ? tellFailure(failure) : null;
  const { mendings, ...said } = diagnose(failure);
  if (step.from !== null && mendings.length > 0)
    return {
      ...said,
      told,
      evidence: [
        ...said.evidence,
        lineOf(
          `The step is one of the scenario "${step.from}", whose own failure is what is mended.`,
          step.id,
        ),
      ],
      mendings: [],
    };
  const refused: EvidenceLine[] = [];
  const ready = mendings.flatMap((mending): ReadyMending[] => {
    const { edits, ...rest } = mending;
    const written = writtenBy(input, edits);
    if (written === null) {
      refused.push(lineOf(`"${mending.summary}" cannot be written into the file.`, step.id));
      return [];
    }
    refused.push(...written.refusals.map((message) => lineOf(`Refused: ${message}`, step.id)));
    return written.refusals.length > 0 ? [] : [{ ...rest, text: written.text }];
  });
  return {
    ...said,
    told,
    evidence: [...said.evidence, ...refused].slice(0, 16),
    mendings: ready,
  };
}

/** The failed step of a run that was read, with what both runs met; null when it is none of the scenario's. */
export async function failureOf(input: DiagnoseInput, read: ReadEvidence): Promise<Failure | null> {
  const { evidence } = read;
  const { scenario, history, codeSha } = input;
  const stepId = evidence.failed.step?.step_id ?? input.failedStepId;
  const step = scenario.steps.find(({ id }) => id === stepId);
  const [pass] = evidence.passes;
  if (!step) return null;
  return {
    scenario,
    step,
    message: evidence.failed.message,
    received: evidence.failed.received,
    // What a part of the engine throws is told to the log when the trace is processed.
    cause: findCause(
      evidence,
      attemptTelling(() => {}),
    ),
    run: { evidence: evidence.run, pages: await pagesOf(read, "run", evidence.run, step.index) },
    pass: pass ? { evidence: pass, pages: await pagesOf(read, 0, pass, step.index) } : null,
    history,
    codeSha,
  };
}

/** The file with these edits, and what the guardrails refuse of it; null when they cannot be written into it. */
export function writtenBy(
  { scenario, file, used }: Pick<DiagnoseInput, "scenario" | "file" | "used">,
  edits: readonly StepEdit[],
): { text: string; refusals: string[]; changes: StepChanges } | null {
  if (edits.length === 0) return { text: file.text, refusals: [], changes: { replaced: [], added: [] } };
  const text = editSteps(file.text, scenario.steps, edits);
  const compiled =
    text === null ? null : compileScenario({ name: file.name, text }, (slug) => used[slug] ?? null);
  if (text === null || !compiled?.scenario) return null;
  // Rules find elements on the recorded pages, and what a model proposes is held against them.
  const { refusals, changes } = judgeScenario(
    scenario,
    compiled.scenario,
    { before: file.text, after: text },
    { isBorneOut: true },
  );
  return { text, refusals: refusals.map(({ message }) => message), changes };
}

const lineOf = (text: string, stepId: string): EvidenceLine => ({
  text,
  step_id: stepId,
  events: [],
  of: "run",
});

function nothingKnown(summary: string, evidence: EvidenceLine[]): TaskDiagnosis {
  return {
    ...{ classification: "unknown", confidence: 0.2, summary, evidence },
    ...{ isBlamed: false, mendings: [], told: null },
  };
}

/** The last page of each step, those of the steps before the failed one that are nearest to it. */
async function pagesOf(
  read: ReadEvidence,
  of: "run" | number,
  { facts }: RunEvidence,
  upTo: number,
): Promise<PageModel[]> {
  const last = new Map<number, PageShot>();
  for (const shot of facts.pages) {
    const step = Number(shot.step_id?.slice(1));
    // Pages of the archive that runs leave beside it have no markup of their own.
    if (shot.html !== null && Number.isInteger(step) && step <= upTo) last.set(step, shot);
  }
  const chosen = [...last].sort(([a], [b]) => a - b).slice(-MOST_PAGES);
  const pages: PageModel[] = [];
  for (const [step, shot] of chosen) {
    // A page that cannot be read is one less to compare with.
    const html = await read.html(of, shot).catch(() => null);
    if (html === null) continue;
    pages.push(readPage(html, shot, step));
  }
  return pages;
}
