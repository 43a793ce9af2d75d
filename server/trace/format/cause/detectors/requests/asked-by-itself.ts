import { isWrite } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { GESTURES_AND_OPENINGS, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isForeign, isTracker, lapse, requestOf } from "../../words.ts";
import { isAnswer } from "./polling.ts";
import { isLeft } from "./stopped.ts";

const MOST = 200;
/** What a page asks for sooner after something else it asks for because of that. */
const BECAUSE_MS = 200;
/** So many usual pauses without a question are an end of asking. */
const PAUSES = 3;
const SHORTEST_MS = 1_500;

/**
 * What a page asks for anew by itself in every pass, and no more here, so that it never reads what others write meanwhile: a timer that is
 * not set again. What such answers say comes to no end by which `stopped` would know it.
 */
export function detectAskedByItself(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  return [...run.facts.byKey].flatMap(([key, all]): Finding[] => {
    const mine = all.slice(-MOST).filter((one) => isAnswer(one, run) && one.ts <= failed.to);
    const last = mine.at(-1);
    if (!last || isForeign(last.url, run.facts) || isLeft(run.facts, last, all)) return [];
    const write = writtenByOthers(last, evidence);
    if (!write) return [];
    const usual = passes.map((pass) => pausesIn(pass, evidence, key));
    if (!usual.every((pauses) => pauses !== null && pauses.count > mine.length)) return [];
    const longest = Math.max(...usual.map((pauses) => pauses!.longest));
    const silence = failed.to - (last.end ?? last.ts);
    if (silence < Math.max(SHORTEST_MS, PAUSES * longest)) return [];
    return [
      {
        kind: "request_unsent",
        title: `The page stopped asking for ${requestOf(last, run.facts)} by itself, so it never read what ${requestOf(write, run.facts)} changed: it asked last ${lapse(silence)} before the step gave up, where it asks again within ${lapse(usual[0]!.longest)} in the last pass`,
        detail: null,
        step_id: last.step_id,
        events: [...mine.slice(-MOST_TOLD), write].map(({ seq }) => seq),
        ts: failed.from,
        is_new: true,
        weight: 0.93,
        about: `unsent ${key}`,
      },
    ];
  });
}

const MOST_TOLD = 3;

/** The last write that went well after a page's last question, and that this page did not send itself. */
const writtenByOthers = (last: Exchange, { run, failed }: Evidence): Exchange | undefined =>
  run.facts.exchanges.findLast(
    (one) =>
      one.ts > last.ts &&
      one.ts <= failed.to &&
      one.status !== null &&
      !isFailedExchange(one) &&
      (one.type === "api" || (one.page !== null && one.page !== last.page)) &&
      isWrite(one, run) &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts),
  );

interface Pauses {
  /** How often it asked. */
  count: number;
  /** The longest time between two questions until the step was done, ms. */
  longest: number;
}

/** How a pass asks anew until the failed step's counterpart was done; null where it does not do so by itself after the last action. */
function pausesIn(pass: RunEvidence, evidence: Evidence, key: string): Pauses | null {
  const { facts } = pass;
  // A step whose name is of the run's own things has no counterpart.
  const moment = momentIn(facts, evidence.run.facts, evidence.failed) ?? facts.lastTs;
  const asked = exchangesOf(facts, key)
    .slice(-MOST)
    .filter((one) => isAnswer(one, pass) && one.ts <= moment);
  const gaps = asked.flatMap((one, at) => {
    const before = asked[at - 1];
    return before && before.url === one.url && before.page === one.page ? [{ before, one }] : [];
  });
  const gesture = facts.steps.findLast((step) => GESTURES_AND_OPENINGS.test(step.name) && step.ts <= moment);
  const isAwaited = gaps.some(
    ({ before, one }) => one.ts > (gesture?.end ?? 0) && isByItself(before, one, pass),
  );
  if (!isAwaited) return null;
  return {
    count: asked.length,
    longest: Math.max(...gaps.map(({ before, one }) => one.ts - (before.end ?? before.ts))),
  };
}

/** Whether nothing came right before a question that may have led to it: no document, no other answer or message, no action. */
function isByItself(before: Exchange, one: Exchange, { facts, bodies }: RunEvidence): boolean {
  const isJustBefore = (moment: number | null) =>
    moment !== null && moment <= one.ts && one.ts - moment <= BECAUSE_MS;
  if (isJustBefore(before.end)) return false;
  return !(
    facts.exchanges.some(
      (other) =>
        other !== one &&
        other !== before &&
        other.type !== "api" &&
        (isJustBefore(other.end) ||
          (other.ts > before.ts &&
            other.ts <= one.ts &&
            (other.type === "document" || isWrite(other, { bodies })))),
    ) ||
    isTold(facts, before, one) ||
    facts.steps.some(
      ({ name, ts, end }) =>
        GESTURES_AND_OPENINGS.test(name) && (isJustBefore(end) || (ts <= one.ts && end >= one.ts)),
    )
  );
}

/** Whether a stream or a socket may tell the page when to ask. */
const isTold = ({ exchanges }: RunFacts, before: Exchange, one: Exchange): boolean =>
  exchanges.some(
    ({ type, ts, page }) =>
      /^(?:websocket|eventsource)$/.test(type ?? "") && ts <= one.ts && page === before.page,
  );
