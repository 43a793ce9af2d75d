import { AFTERWARDS_MS } from "../../compare.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { counterpart, GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isTracker, lapse, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { cameBefore, waitedFor } from "../test-code/waiting.ts";

/** Recorders note the two by clocks of their own. */
const BEGUN_BEFORE_MS = 5;

/** A request or a response that the test waited for: the one that ended the wait in every pass, where it never went out here. */
export function detectAwaited(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const name = waitedFor(failed);
  const { step } = failed;
  if (step === null || passes.length === 0 || !(name === "request" || name === "response")) return [];
  if (cameBefore(name, evidence)) return [];
  const ended = passes.map(({ facts }) => {
    const same = counterpart(run.facts, step, facts);
    return same && !same.isFailed ? endersOf(same, name, facts) : new Map<string, Exchange>();
  });
  const [newest] = passes;
  const usual = [...ended[0]!].filter(([key]) => ended.every((all) => all.has(key)));
  const sent = usual.map(([key]) =>
    exchangesOf(run.facts, key).findLast(({ ts }) => ts >= step.ts - BEGUN_BEFORE_MS),
  );
  // What came here too did not end the wait; what was answered otherwise may be what it is about.
  if (sent.some((one, at) => one && one.status !== usual[at]![1].status)) return [];
  const [key, one] = usual[sent.indexOf(undefined)] ?? [];
  if (!one) return [];
  const script = changedScript(evidence);
  const gesture = newest!.facts.steps.findLast(
    ({ kind, name: called, ts }) =>
      kind === "agent.action" && GESTURES_AND_OPENINGS.test(called) && ts <= one.ts + 5,
  );
  const action = gesture ? counterpart(newest!.facts, gesture, run.facts) : null;
  const when =
    gesture && action
      ? `in the last pass it went out ${lapse(Math.max(0, one.ts - gesture.ts))} after ${quotedStep(action)}`
      : "in the last pass it went out";
  return [
    {
      kind: "request_unsent",
      title: `${requestOf(one, newest!.facts)}, which the test waits for, was never sent: ${when}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq, ...(action ? [action.seq] : []), ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: true,
      weight: 0.86,
      about: `unsent ${key}`,
    },
  ];
}

/** What may have ended a wait, by what it is called across runs; nearest to its end first. */
function endersOf({ ts, end }: Step, name: string, facts: RunFacts): Map<string, Exchange> {
  const momentOf = (one: Exchange) => (name === "request" ? one.ts : one.end);
  const all = facts.exchanges
    .filter((one) => {
      const moment = momentOf(one);
      const isWithin = moment !== null && moment >= ts && moment <= end + AFTERWARDS_MS;
      return isWithin && one.status !== null && one.type !== "websocket" && !isTracker(one.url);
    })
    // What came when the wait was over already did not end it, unless it was noted late.
    .toSorted(
      (a, b) =>
        Number(momentOf(a)! > end) - Number(momentOf(b)! > end) ||
        Math.abs(end - momentOf(a)!) - Math.abs(end - momentOf(b)!),
    );
  const enders = new Map<string, Exchange>();
  for (const one of all) {
    const key = exchangeKey(one, facts);
    if (!enders.has(key)) enders.set(key, one);
  }
  return enders;
}
