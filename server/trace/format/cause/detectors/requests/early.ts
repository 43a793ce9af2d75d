import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { counterpart } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isForeign, isTracker, isWorkerScript, lapse, quotedStep, requestOf } from "../../words.ts";
import { actionToLookOn, detectUnsent } from "./unsent.ts";

/**
 * An action that came before the script that reacts to it: in every pass that script had loaded by then. A page that
 * was rendered on a server looks ready before it is, and takes no notice of a click until its scripts have come.
 */
export function detectEarly(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionToLookOn(evidence);
  if (!action || passes.length === 0) return [];
  const late = run.facts.exchanges
    .filter(
      (one) =>
        one.type === "script" &&
        one.error === null &&
        // A service worker answers for the page, and reacts to nothing that is done on it.
        !isWorkerScript(one) &&
        one.ts < action.ts &&
        (one.end === null || one.end > action.end) &&
        !isTracker(one.url) &&
        !isForeign(one.url, run.facts) &&
        isOfThatPage(one, action, run.facts) &&
        passes.every(({ facts }) =>
          hasBefore(facts, exchangeKey(one, run.facts), counterpart(run.facts, action, facts)),
        ),
    )
    .slice(-1);
  // What the action sends in passes went out from nothing but that script.
  const weight = late.length > 0 && detectUnsent(evidence).length > 0 ? 0.92 : 0.7;
  return late.map((one) => ({
    kind: "slow" as const,
    title: `${quotedStep(action)} came before the page could react: its script ${requestOf(one, run.facts)} ${
      one.end === null || one.end > failed.to
        ? "had not loaded even when the step gave up"
        : `loaded ${lapse(one.end - action.end)} after it`
    }; in the last pass it had loaded by then`,
    detail: null,
    step_id: action.step_id,
    events: [one.requestSeq ?? one.seq, action.seq],
    ts: action.end,
    is_new: true,
    weight,
    about: aboutUrl(one.url, run.facts),
  }));
}

/** Whether no other page was opened between the request and the action. */
function isOfThatPage(one: Exchange, action: Step, { exchanges }: RunFacts): boolean {
  return !exchanges.some(({ type, ts }) => type === "document" && ts > one.ts && ts < action.ts);
}

/** Whether a pass had the script when it came to that action. */
function hasBefore(pass: RunFacts, key: string, action: Step | null): boolean {
  return (
    action !== null &&
    exchangesOf(pass, key).some(({ end, status }) => end !== null && status !== null && end <= action.end)
  );
}
