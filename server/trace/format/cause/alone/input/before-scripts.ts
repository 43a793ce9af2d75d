import { actionBefore, GESTURES } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isForeign, isTracker, lapse, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

/** Less is over before a page draws again. */
const LEAST_MS = 50;

/** The last action was done while the page's own scripts were still on their way, and nothing came of it: there was nobody yet to hear it. */
export function detectBeforeScripts({ run, failed }: Evidence): Finding[] {
  const { facts } = run;
  const action = actionBefore(facts, failed);
  const opened = facts.exchanges.findLast(
    (one) => action !== null && one.type === "document" && one.ts <= action.end && !isForeign(one.url, facts),
  );
  if (!action || !opened || !GESTURES.test(action.name)) return [];
  const isOfPage = (one: (typeof facts.exchanges)[number]) =>
    one.ts >= opened.ts && one.ts <= failed.to && !isForeign(one.url, facts) && !isTracker(one.url);
  const own = facts.exchanges.filter(isOfPage);
  const scripts = own.filter(
    ({ type, ts, end, status }) =>
      type === "script" && ts <= action.ts && status !== null && end !== null && end > action.end + LEAST_MS,
  );
  const late = scripts.toSorted((a, b) => b.end! - a.end!)[0];
  const isData = (type: string | null) => /^(?:xhr|fetch|document)$/.test(type ?? "");
  // Scripts that ask for something are there; what they ask for as they begin is not for the action.
  const hasBegun = own.some((one) => one !== opened && isData(one.type) && one.ts <= action.end);
  const hasAsked = own.some(
    (one) =>
      isData(one.type) &&
      one.ts > action.end &&
      !isBeside(one) &&
      one.step_id === action.step_id &&
      action.step_id !== null,
  );
  if (!late || hasBegun || hasAsked) return [];
  return [
    {
      kind: "slow",
      title: `${quotedStep(action)} was done before the page's scripts were there: ${requestOf(late, facts)} took ${lapse(late.end! - late.ts)} and came ${lapse(late.end! - action.end)} after it, and nothing was asked for by it`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, late.seq],
      ts: action.end,
      is_new: null,
      weight: 0.84,
      about: `acted ${action.seq}`,
    },
  ];
}
