import { AFTERWARDS_MS } from "../compare.ts";
import type { Failed } from "../types.ts";
import type { RunFacts, Step } from "./run-facts.ts";
import { counterpart, GESTURES, GESTURES_AND_OPENINGS } from "./select.ts";

/** What waits for something that an action beside it is to bring about, and looks at no element itself. */
const WAITS = /(?:^|\.)(?:__waitInfo__|waitFor(?!Timeout|Selector)[A-Z]\w+|expect_\w+)$/;

const OUT_OF_TIME = /\btimeout\b.*\bexceeded\b/i;
/** As an assertion says it that tries again until it holds, and as older ones said it. */
const TRIED_FOR = /^[ \t]*Timeout: +\d+ ?ms|\bTimed out \d+ ?ms waiting for expect/m;

/** As the runner says it of what is read again and again until it is as it should be. */
const POLLED_FOR = /exceeded while waiting on the predicate/;

/** So long an action may take without being held up. */
const USUAL_MS = 1_000;
/** What is begun beside a wait is begun with it, if not later. */
const BESIDE_MS = 250;

/** Actions that are looked for in the passes. */
const MOST = 5;

/** Playwright says so what holds an action up whose element it has found. */
const IS_HELD = /^\s*retrying \w+ action/;

/**
 * A wait that ran out of time while the action that was to bring about what it waits for had not got through: the action is what
 * failed, though it may have ended after the wait, or in no event.
 */
export function withHeldAction(failed: Failed, run: RunFacts, passes: readonly RunFacts[]): Failed {
  const { step: wait } = failed;
  if (wait === null || !isWait(failed, wait)) return failed;
  const step = run.steps
    .filter((one) => isUnderWay(one, failed) || isReading(one, wait, failed))
    .slice(-MOST)
    .findLast((one) => isOfWait(one, wait, run, passes));
  if (!step) return failed;
  return {
    ...failed,
    step,
    waited: wait,
    title: step.title,
    message: isOwnError(step)
      ? step.message
      : `${step.title} had not got through when “${wait.title}” ran out of time`,
    expected: null,
    received: null,
    stack: step.stack,
    from: step.ts,
    to: Math.min(step.end, failed.to),
  };
}

/** Whether the failed step ran out of time waiting for something. */
const isWait = ({ message }: Failed, { kind, name }: Step): boolean =>
  kind === "assertion"
    ? TRIED_FOR.test(message) || POLLED_FOR.test(message)
    : WAITS.test(name) && OUT_OF_TIME.test(message);

/** Whether an action ended by itself: the end of the test cuts off what is still going on. */
const isOwnError = ({ message }: Step): boolean => message !== "" && !CUT_OFF.test(message);

const CUT_OFF = /\bTest ended\b|Target (?:page, context or browser has been closed|closed)/;

/** Whether an action on an element was begun beside the wait, had not got through when that gave up, and had been at it for long. */
function isUnderWay(
  { kind, name, params, ts, end, isFailed, isUnfinished }: Step,
  { from, to }: Failed,
): boolean {
  return (
    kind === "agent.action" &&
    GESTURES.test(name) &&
    typeof params.selector === "string" &&
    (isFailed || isUnfinished) &&
    ts >= from - BESIDE_MS &&
    end >= to - AFTERWARDS_MS &&
    to - ts >= Math.min(USUAL_MS, (to - from) / 2)
  );
}

/** Whether a poll ran out of time while what it reads still waited for its element: the first reading, which was never answered. */
const isReading = (
  { kind, parent, params, log, ts, end }: Step,
  { step_id }: Step,
  { message, to, from }: Failed,
): boolean =>
  POLLED_FOR.test(message) &&
  kind === "agent.action" &&
  step_id !== null &&
  parent === step_id &&
  typeof params.selector === "string" &&
  log.some((line) => /^\s*waiting for /.test(line)) &&
  end > to &&
  to - ts >= Math.min(USUAL_MS, (to - from) / 2);

/** Whether a wait was for what that action brings about: in the newest pass the action got through, and the wait ended after it had begun. */
function isOfWait(step: Step, wait: Step, run: RunFacts, passes: readonly RunFacts[]): boolean {
  const [newest] = passes;
  const [action, end] = newest ? [step, wait].map((one) => counterpart(run, one, newest)) : [];
  if (action && (action.isFailed || action.isUnfinished)) return false;
  if (action && end && !end.isFailed) return end.end >= action.ts;
  // What went well in between may be what the wait is for, unless the page holds the action up.
  return (
    step.log.some((line) => IS_HELD.test(line)) ||
    !run.steps.some(
      ({ kind, name, isFailed, ts, end: done }) =>
        kind === "agent.action" &&
        GESTURES_AND_OPENINGS.test(name) &&
        !isFailed &&
        ts >= wait.ts &&
        done <= step.ts,
    )
  );
}
