import { isNew, usualMs } from "../../compare.ts";
import { hasOutlived, isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isTracker, lapse, requestOf } from "../../words.ts";
import { slowThroughout } from "./slow-throughout.ts";

/** They stay open as long as the page does: that is no waiting. */
const LASTING = new Set(["websocket", "eventsource", "ping"]);
const WORTH_TELLING_MS = 400;
const SLOW_MS = 2_000;
/** For a request that the step spent most of its time on. */
const MOST_OF_MS = 1_000;
const AWAITED_MS = 3_000;

/** Requests that had no answer when the step gave up, and answers that came much later than in the passes. */
export function detectPending(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const findings: Finding[] = [];
  // Who waits for an answer gives up at a moment of its own, which the request may outlive.
  const isAwaited = /waiting for event "(?:request|response)/.test(failed.message);
  for (const one of run.facts.exchanges) {
    if (
      // One that was never answered was no stream yet.
      (LASTING.has(one.type ?? "") && !hasOutlived(one, failed)) ||
      (one.method === "GET" && isPolling(one)) ||
      one.ts > failed.to + (isAwaited ? AWAITED_MS : 0)
    )
      continue;
    if (
      isAwaited &&
      one.end === null &&
      one.error === null &&
      failed.to - one.ts < WORTH_TELLING_MS &&
      one.ts >= failed.from
    ) {
      findings.push(neverAnswered(evidence, one));
      continue;
    }
    const isOpen =
      hasOutlived(one, failed) ||
      (one.error === null && (one.end === null || one.end > failed.to + 5) && !isStream(one));
    if (isOpen && failed.to - one.ts >= WORTH_TELLING_MS) findings.push(waiting(evidence, one));
    else if (
      one.end !== null &&
      one.end >= failed.from &&
      one.end - one.ts >= (isMost(evidence, one) ? MOST_OF_MS : SLOW_MS)
    )
      findings.push(...late(evidence, one));
  }
  return findings.slice(-200);
}

/** The step waited mostly for it: it was open when that began, and for more than half of its time. */
function isMost({ failed: { from, to } }: Evidence, { ts, end }: Exchange): boolean {
  return ts <= from + 500 && end! <= to && end! - Math.max(ts, from) >= (to - from) / 2;
}

function neverAnswered(evidence: Evidence, one: Exchange): Finding {
  const { facts } = evidence.run;
  return {
    ...waiting(evidence, one),
    title: `${requestOf(one, facts)} was never answered, for the ${lapse(facts.lastTs - one.ts)} that were recorded of it`,
    detail: null,
    is_new: isNew(evidence, (pass) =>
      exchangesOf(pass.facts, exchangeKey(one, facts)).some(
        ({ end, error }) => end === null && error === null,
      ),
    ),
    weight: isTracker(one.url) ? 0.35 : 0.8,
  };
}

const isStream = ({ mediaType }: Exchange) => mediaType.includes("event-stream");

function waiting(evidence: Evidence, one: Exchange): Finding {
  const { run, failed } = evidence;
  const { facts } = run;
  const key = exchangeKey(one, facts);
  const age = failed.to - one.ts;
  const usual = usualMs(evidence, key);
  const later =
    one.end === null || one.error !== null ? "" : `, and came ${lapse(one.end - failed.to)} too late`;
  return {
    kind: "request_pending",
    title: `${requestOf(one, facts)} was still pending after ${lapse(age)}, when the step gave up${later}${slowThroughout(evidence, one)}`,
    detail: usual === null ? null : `In the last pass it was answered after ${lapse(usual)}.`,
    step_id: one.step_id,
    events: [one.requestSeq ?? one.seq],
    ts: Math.min(failed.to, Math.max(one.ts, failed.from)),
    is_new: isNew(evidence, (pass) =>
      exchangesOf(pass.facts, key).some((other) => isAsOpen(other, pass.facts, age)),
    ),
    weight: isTracker(one.url) ? 0.35 : one.type === "document" || age > 1_500 ? 0.9 : 0.7,
    about: aboutUrl(one.url, facts, one.operation),
    isOwn: !isTracker(one.url),
  };
}

/** A pass had an answer later than this failure waited for, or none, which hurt nobody. */
function isAsOpen({ end, ts, error }: Exchange, { lastTs }: RunFacts, age: number): boolean {
  if (end === null) return error === null && lastTs - ts >= Math.min(age, WORTH_TELLING_MS);
  return end - ts >= age;
}

function late(evidence: Evidence, one: Exchange): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const took = one.end! - one.ts;
  const key = exchangeKey(one, facts);
  const usual = usualMs(evidence, key);
  if (usual !== null && took < usual * 3) return [];
  // What brings nothing in any pass either is not waited for, however long it takes.
  const isInVain = passes.every((pass) => {
    const same = exchangesOf(pass.facts, key);
    return same.length > 0 && same.every(isFailedExchange);
  });
  if (passes.length > 0 && isInVain && isFailedExchange(one)) return [];
  return [
    {
      kind: "slow",
      title: `${requestOf(one, facts)} took ${lapse(took)}${usual === null ? "" : ` instead of ${lapse(usual)}`}${isMost(evidence, one) ? `, most of the ${lapse(failed.to - failed.from)} that the step waited` : ""}${slowThroughout(evidence, one)}`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: one.end,
      is_new: evidence.passes.length === 0 ? null : true,
      weight: usual !== null ? (isMost(evidence, one) ? 0.8 : 0.72) : isMost(evidence, one) ? 0.68 : 0.4,
      about: aboutUrl(one.url, facts, one.operation),
      isOwn: !isTracker(one.url),
    },
  ];
}
