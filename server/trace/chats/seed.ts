import type { TraceRow } from "../../../store/records/traces.ts";
import { hasFailed } from "../causes/service.ts";
import type { Cause } from "../format/cause/types.ts";
import { text } from "../format/markdown.ts";
import type { Summary } from "../format/summary.ts";
import { isFinal } from "../model.ts";

const FAILED = [
  "Why did it fail?",
  "Since when does it fail?",
  "What differs from the last pass?",
  "Which requests failed?",
  "What did the page show?",
  "Is it flaky?",
  "How do I reproduce it?",
  "What should I change?",
];
const PASSED = [
  "What were the steps?",
  "What differs from the last pass?",
  "Which requests failed?",
  "What is in the console?",
  "Is it flaky?",
];

/** Questions that a trace can answer. */
export const suggestionsFor = (trace: Pick<TraceRow, "status">): string[] =>
  trace.status === "passed" ? PASSED : FAILED;

/** A step as answers point to it; its title alone where the summary does not list it. */
export function stepLink(summary: Summary | null, step: { step_id: string; title: string }): string {
  const index = summary?.steps.find(({ step_id }) => step_id === step.step_id)?.index ?? null;
  return index === null ? `“${text(step.title)}”` : `[step ${index}](step:${index}) (“${text(step.title)}”)`;
}

/** How a chat begins: what is known, who answers, and what may be asked. */
export function openingMessage(
  trace: TraceRow,
  { cause, summary, model }: { cause: Cause; summary: Summary | null; model: string | null },
): string {
  const who =
    model === null
      ? "I am the built-in analyst: rules over this recording, not a language model, and asking costs nothing."
      : `Your questions go to ${text(model)}, which looks at this recording with read-only tools; every look is listed.`;
  return [
    whatIsKnown(trace, cause, summary),
    suspectsOf(cause),
    who,
    `Ask, for example: ${suggestionsFor(trace).map(withoutMark).join(", ")}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A question as a part of a sentence. */
const withoutMark = (question: string): string =>
  question.charAt(0).toLowerCase() + question.slice(1).replace(/\?$/, "");

function whatIsKnown(trace: TraceRow, cause: Cause, summary: Summary | null): string {
  if (!isFinal(trace.status))
    return `This run is ${trace.status}: it has not ended or waits to be processed, so that I can only tell what is recorded until now.`;
  if (!hasFailed(trace)) return "This run passed: there is no failure to explain.";
  const at = cause.failed_step ? `\n\nIt failed at ${stepLink(summary, cause.failed_step)}.` : "";
  const cold =
    trace.tier === "cold"
      ? " Its files are in cold storage: until it is restored, I know only its summary."
      : "";
  return `**${text(cause.headline ?? trace.failure_message ?? `The run ended as ${trace.status}, and no failure was recorded.`)}**${at}${cold}`;
}

/** What else could be it; the first is the headline. */
function suspectsOf({ suspects }: Cause): string {
  const others = suspects.slice(1, 3);
  if (others.length === 0) return "";
  return `Also looked at: ${others.map(({ title }) => text(title)).join("; ")}.`;
}
