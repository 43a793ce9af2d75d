import type { Action, Text } from "../../run/language/ast.ts";
import { StepProblem } from "../../run/language/problem.ts";
import { readStep } from "../../run/language/steps.ts";
import { readEvidence } from "../../trace/causes/evidence.ts";
import { lastActUpTo } from "../diagnosis/last-act.ts";
import { changedScripts } from "../diagnosis/scripts.ts";
import type { Failure, SourcePatch } from "../diagnosis/types.ts";
import type { Proposal } from "../proposal/answer.ts";
import { whyNotMeant } from "../proposal/judge.ts";
import { diffOf, type StepEdit } from "../scenario-edit/edit.ts";
import { writeStep } from "../scenario-edit/write-step.ts";
import { type DiagnoseInput, failureOf, type ReadyMending, writtenBy } from "./diagnose-task.ts";

export interface ProposalInput extends DiagnoseInput {
  proposal: Proposal;
  /** Whether steps may be changed. */
  mayEditSteps: boolean;
}

/** What becomes of a proposal: something to be tried, or why not. */
export type JudgedProposal = { mending: ReadyMending; why: null } | { mending: null; why: string };

/** A proposal that cannot be used, in a sentence. */
class Refused extends Error {}

/**
 * The task `gate.judge_proposal`: holds what a model proposes against the guardrails, and against what the recorded pages and
 * scripts bear out. Null when the trace's files tell no failure.
 */
export async function proposalTask(
  input: ProposalInput,
  progress: (progress: unknown) => void,
): Promise<JudgedProposal | null> {
  const read = await readEvidence(input.cause, progress);
  const failure = read && (await failureOf(input, read));
  if (!failure) return null;
  try {
    return { mending: mendingOf(input, failure), why: null };
  } catch (error) {
    if (error instanceof Refused) return { mending: null, why: error.message };
    throw error;
  }
}

function mendingOf(input: ProposalInput, failure: Failure): ReadyMending {
  const { proposal, scenario, mayEditSteps } = input;
  const { step } = failure;
  const edits = editsOf(proposal, failure);
  if (edits.length > 0 && !mayEditSteps)
    throw new Refused("It changes steps, though what was recorded says that the application is at fault.");
  const written = writtenBy(input, edits);
  if (written === null) throw new Refused("It cannot be written into the scenario's file.");
  const { text, refusals, changes } = written;
  if (refusals.length > 0) throw new Refused(refusals.join(" "));
  const why = edits.length === 0 ? null : whyNotMeant(failure, changes);
  if (why !== null) throw new Refused(why);
  const sources = sourcesOf(proposal, failure);
  const steps = [
    ...changes.replaced.map(({ before, after }) => `step ${before.index} becomes "${after.source}"`),
    ...changes.added.map(({ source }) => `the step "${source}" is added`),
    ...sources.map(({ path }) => `/${path} is patched`),
  ];
  if (steps.length === 0) throw new Refused("It changes nothing.");
  const isReworded = changes.replaced.some(
    ({ before, after }) => textOf(before.action) !== textOf(after.action),
  );
  const firstStep = Math.min(...edits.map(({ step: number }) => number), step.index);
  return {
    ...{ text, sources },
    kind: edits.length === 0 ? "app_regression" : isReworded ? "assertion_drift" : "locator_drift",
    summary: `A model proposes: ${steps.join(", ")}.`,
    confidence: 0.6,
    evidence: [
      {
        text: `The model says: "${proposal.explanation.replace(/\s+/g, " ").slice(0, 400)}"`,
        step_id: step.id,
        events: [],
        of: "run",
      },
    ],
    fromStep: sources.length > 0 ? lastActUpTo(scenario, firstStep) : firstStep,
  };
}

function editsOf({ replace, insert }: Proposal, { scenario, step }: Failure): StepEdit[] {
  const own = (number: number) => {
    const found = scenario.steps[number - 1];
    if (!found || number > step.index)
      throw new Refused(`It changes step ${number}, and step ${step.index} is what failed.`);
    return found;
  };
  return [
    ...replace.map(({ step: number, text }): StepEdit => {
      const read = stepOf(text);
      if (read.within_ms !== null && read.within_ms !== own(number).within_ms)
        throw new Refused(`It changes how long step ${number} may wait.`);
      return { kind: "replace", step: own(number).index, action: read.action };
    }),
    ...insert.map(({ before_step, text }): StepEdit => {
      const { action } = stepOf(text);
      return { kind: "insert", step: own(before_step).index, action };
    }),
  ];
}

/** A step that a model wrote. */
function stepOf(text: string): { action: Action; within_ms: number | null } {
  const quoted = text.slice(0, 120);
  try {
    const read = readStep(text, 0);
    if (!("action" in read)) throw new Refused(`"${quoted}" takes steps of another scenario.`);
    if (writeStep(read.action, null) === null)
      throw new Refused(`"${quoted}" is a step of a kind that no change writes or adds.`);
    return read;
  } catch (error) {
    if (error instanceof StepProblem) throw new Refused(`"${quoted}" is no step: ${error.message}.`);
    throw error;
  }
}

/** Only scripts that changed since the last pass, and each piece where it surely stands. */
function sourcesOf({ sources }: Proposal, failure: Failure): SourcePatch[] {
  const scripts = new Map(changedScripts(failure).map((script) => [script.path, script.text]));
  const patched = new Map<string, string>();
  for (const { path: given, find, put } of sources) {
    const path = given.replace(/^\/+/, "");
    const text = patched.get(path) ?? scripts.get(path);
    if (text === undefined)
      throw new Refused(
        `It patches ${path.slice(0, 200)}, which is no script that changed since the last pass.`,
      );
    const parts = text.split(find);
    if (parts.length !== 2)
      throw new Refused(`What it replaces in /${path} stands there ${parts.length - 1} times, and not once.`);
    patched.set(path, parts.join(put));
  }
  return [...patched].flatMap(([path, text]) =>
    text === scripts.get(path) ? [] : [{ path, diff: diffOf(path, scripts.get(path)!, text) }],
  );
}

const textOf = (action: Action): Text | null =>
  action.verb === "expect" && "text" in action.expectation ? action.expectation.text : null;
