import type { RunFacts, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quotedStep } from "../../words.ts";

const TEST_ENDED = /(?:^|: )Test ended\b/;
const CLOSED = /Target (?:page, context or browser has been closed|closed)/;
const CLOSES = /(?:^|\.)(?:close|Close (?:page|context|browser))$/;

/** A call that nobody awaited and that the end of the test cut off, and one on a page that the test had closed itself. */
export function detectEnded({ failed, run, passes }: Evidence): Finding[] {
  const { step, message, to } = failed;
  if (!step) return [];
  const closing = run.facts.steps.findLast(
    (one) =>
      isClosing(one) && one.ts <= to && one.seq !== step.seq && (CLOSED.test(message) || isOfPage(one, step)),
  );
  const isCutOff =
    TEST_ENDED.test(message) ||
    (CLOSED.test(message) && closing !== undefined && isCleanUp(closing, run.facts));
  if (!isCutOff && !closing) return [];
  return [
    {
      kind: isCutOff ? "test_code" : "crash",
      title: isCutOff
        ? `The test ended while ${quotedStep(step)} was still going on: nothing awaited it${placeOf(step)}`
        : `The test itself closed the page${placeOf(closing!)} before ${quotedStep(step)}`,
      detail: null,
      step_id: step.step_id,
      events: [...(isCutOff || !closing ? [] : [closing.seq]), step.seq],
      ts: to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.96,
    },
  ];
}

const isClosing = ({ name, title, isFailed, kind }: Step) =>
  kind === "agent.action" && !isFailed && (CLOSES.test(name) || CLOSES.test(title));

/**
 * Whether a page was closed, and the step works on just that one. A call on a page that is gone is recorded without page and log,
 * and gives up at once.
 */
function isOfPage(closing: Step, step: Step): boolean {
  if (closing.end > step.ts) return false;
  if (step.page !== null) return closing.page === step.page;
  const isOfElement = /^Locator:/m.test(step.message) || typeof step.params.selector === "string";
  return isOfElement && step.log.length === 0 && step.end - step.ts < AT_ONCE_MS;
}

const AT_ONCE_MS = 1_000;

const MOST_DEPTH = 20;

/** Whether a step is of what the runner does after the test. */
function isCleanUp(step: Step, { steps }: RunFacts): boolean {
  let at: Step | undefined = step;
  for (let depth = 0; at && depth < MOST_DEPTH; depth++) {
    if (/^(?:After Hooks|Worker Cleanup)$/.test(at.title)) return true;
    const { parent }: Step = at;
    at = parent === null ? undefined : steps.find(({ step_id }) => step_id === parent);
  }
  return false;
}

function placeOf({ stack }: Step): string {
  const [frame] = stack;
  return frame ? ` (${frame.file.split(/[\\/]/).slice(-2).join("/")}:${frame.line})` : "";
}
