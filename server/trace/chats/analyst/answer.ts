import { storedSummary } from "../../files/stored-summary.ts";
import { whereItLies } from "../../files/where-it-lies.ts";
import type { Answering } from "../model-answer.ts";
import { suggestionsFor } from "../seed.ts";
import * as evidence from "./evidence-answers.ts";
import * as failure from "./failure-answers.ts";
import { type Intent, type Meant, readQuestion } from "./intents.ts";
import { createEyes, type Eyes } from "./seen.ts";

const ANSWERS: Record<
  Exclude<Intent, "help" | "unknown">,
  (eyes: Eyes, meant: Meant) => Promise<string[]>
> = {
  why: failure.why,
  since: failure.since,
  differs: failure.differs,
  flaky: failure.flaky,
  reproduce: failure.reproduce,
  fix: failure.fix,
  requests: evidence.requests,
  request: evidence.request,
  page: evidence.page,
  steps: evidence.steps,
  step: evidence.step,
  console: evidence.consoleLines,
  code: evidence.code,
  search: evidence.search,
  environment: evidence.environment,
};

/** Answers by rules, from what the tools say: no model, no cost. What it does not understand it says plainly. */
export async function answerByRules({ sight, looks, question, past, say }: Answering): Promise<void> {
  const { deps, trace, signal } = sight;
  const meant = readQuestion(question, previousOf(past));
  if (meant.intent === "help" || meant.intent === "unknown") {
    say(`${opening(meant.intent)}\n\n${whatICan(suggestionsFor(trace))}`);
    return;
  }
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  const parts = await ANSWERS[meant.intent](createEyes(looks, summary), meant);
  signal.throwIfAborted();
  say(parts.filter((part) => part !== "").join("\n\n"));
}

const opening = (intent: "help" | "unknown"): string =>
  intent === "help"
    ? "I am the built-in analyst: rules over this recording, not a language model. Asking costs nothing, and nothing leaves this server."
    : "I cannot answer that. I am rules over this recording, not a language model: I know a number of questions, and I did not recognise one of them in yours.";

const whatICan = (suggestions: readonly string[]): string =>
  `What I can answer:\n\n${suggestions.map((one) => `- ${one}`).join("\n")}\n- What were the steps? What is in the console? Where in the code? Which browser and commit?\n- Tell me about step 5. What did /api/orders answer? Where does "a text" appear?`;

/** What the question before this one was about. */
function previousOf(past: Answering["past"]): Meant | null {
  const last = past.findLast(({ role }) => role === "user");
  return last ? readQuestion(last.content) : null;
}
