import { requestText } from "../../exchanges/sent.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { pathOf, quoted, quotedStep } from "../../words.ts";
import { TYPES } from "../requests/search.ts";
import { holds } from "../requests/sought.ts";
import { dataSince, readableAddress, textOf } from "../requests/unsaid.ts";

/** Calls that move the page's clock. */
const CLOCK = /clock\w{0,60}$|(?:^|\.)clock\./i;
const STOPS = /pauseAt$/i;

/** What the finding is about. */
export const STOPPED_CLOCK = "stopped clock";

/** A clock that the test stopped and let run no more: what the page does a moment after an action, such as a search, never came. */
export function detectStoppedClock(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  // What passes wait for they get with a clock that the test stopped there as well.
  if (passes.some(({ facts }) => facts.steps.some((step) => isOfClock(step) && STOPS.test(step.name))))
    return [];
  const action = actionBefore(run.facts, failed);
  const stopped = run.facts.steps.findLast((step) => isOfClock(step) && step.ts <= failed.to);
  if (!action || !stopped || !STOPS.test(stopped.name) || stopped.ts > action.ts) return [];
  // What it asks for time and again is asked for by a worker or another clock.
  const isUsual = (one: Exchange) =>
    run.facts.exchanges.some((other) => other.ts < action.ts && pathOf(other.url) === pathOf(one.url));
  const typed = TYPES.test(action.name) ? textOf(action) : null;
  // What was typed is asked for with its words; what else comes is of timers that began before.
  const isOfAction = (one: Exchange) =>
    !typed || holds(`${readableAddress(one)} ${requestText(one, run.bodies)}`, typed);
  const asked = dataSince(evidence, action).filter((one) => !isUsual(one));
  if (asked.some(isOfAction)) return [];
  return [
    {
      kind: "test_code",
      title: `The test had stopped the page's clock (${quotedStep(stopped)}), so that no timer of the page ran after ${quotedStep(action)}, and the page asked for nothing ${typed && asked.length > 0 ? `with ${quoted(typed, 40)} in it` : "new"}`,
      detail: null,
      step_id: stopped.step_id,
      events: [stopped.seq, action.seq],
      ts: action.ts,
      is_new: null,
      weight: 0.84,
      about: STOPPED_CLOCK,
    },
  ];
}

const isOfClock = ({ kind, name, isFailed }: Step): boolean =>
  kind === "agent.action" && !isFailed && CLOCK.test(name);
