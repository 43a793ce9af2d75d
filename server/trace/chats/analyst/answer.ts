import { storedSummary } from "../../files/stored-summary.ts";
import { whereItLies } from "../../files/where-it-lies.ts";
import { text } from "../../format/markdown.ts";
import type { Answering } from "../model-answer.ts";
import { suggestionsFor } from "../seed.ts";
import * as evidence from "./evidence-answers.ts";
import * as failure from "./failure-answers.ts";
import { isOrder, type Meant, subjectsOf } from "./intents.ts";
import { readQuestions } from "./questions.ts";
import { createEyes, type Eyes } from "./seen.ts";
import type { Intent } from "./signs.ts";

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
  const { questions, left } = readQuestions(question, previousOf(past));
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  const eyes = createEyes(looks, summary);
  for (const [at, { words, meant }] of questions.entries()) {
    const { intent } = meant;
    const parts =
      intent === "help"
        ? [WHO, whatICan(suggestionsFor(trace))]
        : intent === "unknown"
          ? [...(await notUnderstood(eyes, question)), whatICan(suggestionsFor(trace))]
          : await ANSWERS[intent](eyes, meant);
    signal.throwIfAborted();
    const title = questions.length > 1 ? [`### ${text(words)}`] : [];
    say(`${at > 0 ? "\n\n" : ""}${[...title, ...parts].filter((part) => part !== "").join("\n\n")}`);
  }
  if (left.length > 0)
    say(
      `\n\nNot answered: ${left.map((one) => `“${text(one.slice(0, 200))}”`).join(", ")}. Ask each by itself; “help” says what I know.`,
    );
}

const WHO =
  "I am the built-in analyst: rules over this recording, not a language model. Asking costs nothing, and nothing leaves this server. I read English and some German, and answer in English.";

/** Says so; and where the recording has a word of the question, where that stands. */
async function notUnderstood(eyes: Eyes, question: string): Promise<string[]> {
  if (isOrder(question))
    return [
      "**I only read.** I cannot change, send or remove anything: I am rules over this recording, not a language model.",
    ];
  const said =
    "**I cannot answer that.** I am rules over this recording, not a language model: I know a number of questions, and I did not recognise one of them in yours.";
  for (const subject of subjectsOf(question)) {
    const { seen } = await eyes.see("search", { text: subject });
    if (seen && seen.hits.length > 0)
      return [said, `Perhaps this helps: ${evidence.foundAt(eyes, subject, seen.hits.slice(0, 5))}`];
  }
  return [said];
}

const whatICan = (suggestions: readonly string[]): string =>
  `What I can answer:\n\n${[...new Set([...suggestions, ...OTHERS])].map((one) => `- ${one}`).join("\n")}`;

const OTHERS = [
  "What were the steps?",
  "What is in the console?",
  "Where in the code? Which browser and commit?",
  'Tell me about step 5. What did /api/orders answer? Where does "a text" appear?',
];

/** What the question before this one was about. */
function previousOf(past: Answering["past"]): Meant | null {
  const last = past.findLast(({ role }) => role === "user");
  return last ? (readQuestions(last.content, null).questions.at(-1)?.meant ?? null) : null;
}
