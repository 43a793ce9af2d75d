import { isBefore } from "../compare.ts";
import { exchangesOf } from "../keys.ts";
import { isPolling } from "../polled.ts";
import type { Exchange } from "../run-facts.ts";
import { CHANGING, isWrite, requestBodyOf } from "../sent.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, isTracker, lapse, requestOf } from "../words.ts";
import { isFailedExchange } from "./requests.ts";

const MOST = 50;
/** Two of the same within this are one click too many, or one handler. */
const AT_ONCE_MS = 1_000;

/** What changes something and was sent more often than in the passes; without one, twice at once. */
export function detectRepeated(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  const findings: Finding[] = [];
  for (const [key, all] of facts.byKey) {
    const sent = all.filter(
      (one, at) =>
        CHANGING.has(one.method) &&
        one.type !== "api" &&
        // What failed is tried again; what is refused since the first is under way was sent once too often.
        (!isFailedExchange(one) || all.slice(0, at).some((before) => isUnderWay(before, one))) &&
        isBefore(evidence, one.ts),
    );
    const [first] = sent;
    const last = sent.at(-1);
    if (
      !first ||
      !last ||
      sent.length < 2 ||
      isTracker(first.url) ||
      isPolling(first) ||
      (isOfMany(first.url) && !isWrite(first, run))
    )
      continue;
    const usual = passes.map((pass) => exchangesOf(pass.facts, key).length);
    const isMore =
      passes.length === 0 ? isTwin(sent, run) : Math.max(...usual) > 0 && Math.max(...usual) < sent.length;
    if (!isMore) continue;
    findings.push({
      kind: "request_repeated",
      title: `${requestOf(first, facts)} was sent ${times(sent.length)}, ${last.ts - first.ts < 1 ? "at once" : `within ${lapse(last.ts - first.ts)}`}${passes.length === 0 ? "" : `; in the last pass ${times(usual[0]!)}`}`,
      detail: null,
      step_id: last.step_id,
      events: sent.slice(0, 5).map(({ seq }) => seq),
      ts: last.ts,
      is_new: passes.length === 0 ? null : true,
      // What a page saves time and again by itself it saves once more while a step waits.
      weight:
        passes.length === 0
          ? sent.some(isFailedExchange)
            ? REFUSED
            : last.ts - first.ts <= ONE_PRESS_MS
              ? 0.76
              : 0.68
          : isAtIntervals(sent, usual)
            ? 0.5
            : isTwin(sent, run)
              ? 0.92
              : 0.8,
      about: `sent ${aboutUrl(first.url, facts)}`,
      isTwice: sent.length === 2,
    });
  }
  return findings.slice(-MOST);
}

/** No person presses twice so soon. */
const ONE_PRESS_MS = 50;

/** Whether a page sends it time and again anyhow: to keep what is written, to stay signed in. */
const isAtIntervals = (sent: Exchange[], usual: number[]) =>
  Math.min(...usual) > 1 &&
  (sent[0]!.method === "PUT" || sent.every((one, at) => at === 0 || one.ts - sent[at - 1]!.ts > AT_ONCE_MS));

const isUnderWay = (before: Exchange, one: Exchange): boolean =>
  !isFailedExchange(before) && (before.end ?? Number.POSITIVE_INFINITY) > one.ts;

/** That one of them was refused while the first was under way leaves no doubt, also without a pass. */
const REFUSED = 0.95;

/** An address to which all kinds of requests go. */
const isOfMany = (url: string) => /graphql|\/batch|\/log/i.test(url);

const times = (count: number) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

/** Whether two of the same content went out at once. */
const isTwin = (sent: Exchange[], run: RunEvidence) =>
  sent.some(
    (one, at) =>
      at > 0 &&
      one.ts - sent[at - 1]!.ts <= AT_ONCE_MS &&
      JSON.stringify(requestBodyOf(one, run)) === JSON.stringify(requestBodyOf(sent[at - 1]!, run)),
  );
