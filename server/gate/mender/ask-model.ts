import { changeAttempt, type MenderRow } from "../../../store/records/mender.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { keepingLease } from "../../jobs/lease.ts";
import { createMask } from "../../trace/chats/mask.ts";
import { askModel, boundOf, configuredModel, reserveFor } from "../../trace/language-model/ask.ts";
import { ModelError, type ModelMessage, type ModelQuestion } from "../../trace/language-model/types.ts";
import { AnswerError, isEmpty, type Proposal, readAnswer } from "../proposal/answer.ts";
import { questionOf, refusalOf } from "../proposal/prompt.ts";
import {
  type Candidate,
  type Context,
  candidatesOf,
  diagnose,
  judgeProposal,
  type Looked,
  type TraceDiagnosis,
} from "./candidates.ts";
import type { JudgedProposal } from "./proposal-task.ts";
import { type KeptEvidence, note } from "./verification.ts";

/** A refused answer is told to the model once. */
const MOST_QUESTIONS = 2;
const OUTPUT_TOKENS = 2_000;
/** What no model mends: the network, its speed, chance. */
const HOPELESS = new Set(["network_failure", "timing", "flake"]);

/** Whether there is a model that could know a change of it. */
export const isWorthAsking = (
  deps: Pick<Deps, "config">,
  { classification }: Pick<MenderRow, "classification">,
): boolean => configuredModel(deps) !== null && !HOPELESS.has(classification);

/** What asking a model came to. */
export interface Heard {
  candidates: Candidate[];
  evidence: KeptEvidence[];
}

/**
 * Asks the configured model for a change where the rules know none. Nothing is asked over a budget, or where no change of what
 * is at fault could help; what becomes of it is told in evidence.
 * @throws what the job's signal aborts with
 */
export async function askForChange(deps: Deps, of: Looked, context: Context): Promise<Heard> {
  const nothing: Heard = { candidates: [], evidence: [] };
  const { row } = of;
  const diagnosis = await diagnose(deps, of, context, true);
  if (!diagnosis?.told) return nothing;
  const mayEditSteps = !diagnosis.isBlamed;
  if (!mayEditSteps && diagnosis.told.scripts.length === 0) return nothing;
  const told = { row, diagnosis, mayEditSteps };
  try {
    return await converse(deps, of, context, told);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ModelError)
      return { ...nothing, evidence: [note(`A model was asked. ${error.message}`, row)] };
    if (error instanceof AppError && error.kind === "budget_exhausted")
      return { ...nothing, evidence: [note(`No model was asked: ${error.message}`, row)] };
    throw error;
  }
}

async function converse(
  deps: Deps,
  of: Looked,
  context: Context,
  { row, diagnosis, mayEditSteps }: { row: MenderRow; diagnosis: TraceDiagnosis; mayEditSteps: boolean },
): Promise<Heard> {
  const mask = await createMask(deps, row.org_id);
  const { classification, summary } = diagnosis;
  const asked = {
    text: of.text,
    diagnosis: { classification, summary, evidence: diagnosis.evidence.map(({ text }) => text) },
    told: diagnosis.told!,
    mayEditSteps,
  };
  const fence = deps.ids.uuid();
  const messages: ModelMessage[] = questionOf(fence, mask, asked);
  const budget = createBudget(deps, row);
  let why = "";
  for (let count = 1; count <= MOST_QUESTIONS; count++) {
    const question: ModelQuestion = { messages, maxOutputTokens: OUTPUT_TOKENS };
    const refusal = await budget.reserve(question);
    if (refusal !== null) return { candidates: [], evidence: [note(refusal, row)] };
    const answer = await keepingLease(deps, context, async ({ signal }) => {
      const reservation = await reserveFor(deps, row.org_id, question);
      return askModel(deps, reservation, question, { signal, onUsage: budget.count });
    }).finally(budget.settle);
    const judged = await judge(answer.text);
    if (judged.quiet !== null)
      return {
        candidates: [],
        evidence: [note(`A model was asked, and proposes nothing: "${judged.quiet}"`, row)],
      };
    if (judged.mending) {
      const { traceId, baselineId } = diagnosis;
      const found = { evidence: [], mendings: [judged.mending], traceId, baselineId };
      return candidatesOf(deps, row, found, "model");
    }
    why = judged.why;
    messages.push({ role: "assistant", content: answer.text }, refusalOf(fence, mask, why));
  }
  return {
    candidates: [],
    evidence: [note(`A model was asked, and what it proposes was refused: ${why}`, row)],
  };

  async function judge(
    text: string,
  ): Promise<{ quiet: string | null; mending: JudgedProposal["mending"]; why: string }> {
    let proposal: Proposal;
    try {
      proposal = readAnswer(text);
    } catch (error) {
      if (error instanceof AnswerError) return { quiet: null, mending: null, why: error.message };
      throw error;
    }
    if (isEmpty(proposal))
      return { quiet: proposal.explanation.replace(/\s+/g, " ").slice(0, 300), mending: null, why: "" };
    const judged = await judgeProposal(deps, of, context, { proposal, mayEditSteps });
    return { quiet: null, mending: judged?.mending ?? null, why: judged?.why ?? "The trace cannot be read." };
  }
}

/**
 * The tokens that an attempt may still use. What a question can cost at most is written down before it is asked, so that an attempt
 * that is begun again after a crash cannot ask for more than its budget.
 */
function createBudget(deps: Deps, row: MenderRow) {
  const most = deps.config.settings.mender.token_budget;
  let used = row.tokens_used;
  let kept = 0;
  let cost: number | null = null;
  const write = async (tokens: number) => {
    const is = { stage: row.stage, replayId: row.replay_id };
    const isOurs = await changeAttempt(deps.store.records, row.id, is, {
      tokens_used: tokens,
      updated_at: deps.clock.now(),
    });
    if (!isOurs) throw new Error("The attempt went on elsewhere while a model was asked.");
    used = tokens;
  };
  return {
    /** Why the question may not be asked; null when it may. */
    async reserve(question: ModelQuestion): Promise<string | null> {
      const bound = boundOf(deps, question);
      if (used + bound > most)
        return `No model was asked${used > 0 ? " any more" : ""}: this attempt may use ${most} tokens (mender.token_budget in settings.json), has used ${used}, and a question can take ${bound}.`;
      await write(used + bound);
      kept = bound;
      cost = null;
      return null;
    },
    count(usage: { inputTokens: number; outputTokens: number }): void {
      cost = usage.inputTokens + usage.outputTokens;
    },
    /** Puts what it took in the place of what was kept back; nothing was asked where nobody said what it took. */
    async settle(): Promise<void> {
      await write(used - kept + Math.min(cost ?? 0, kept));
      kept = 0;
    },
  };
}
