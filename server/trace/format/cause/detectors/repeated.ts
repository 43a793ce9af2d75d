import { oneLine } from "../../error-text.ts";
import { isBefore, isNew } from "../compare.ts";
import { jsonOf, leavesOf } from "../json-leaves.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import { isPolling } from "../polled.ts";
import type { Exchange, RunFacts } from "../run-facts.ts";
import { CHANGING, isWrite, requestBodyOf } from "../sent.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, bodyOf, isTracker, lapse, quoted, requestOf } from "../words.ts";
import { isFailedExchange } from "./requests.ts";

const MOST = 50;
/** Two of the same within this are one click too many, or one handler. */
const AT_ONCE_MS = 1_000;

/** Requests that were sent once too often, and answers that came in another order than they were asked for. */
export function detectRepeated(evidence: Evidence): Finding[] {
  return [...sentTwice(evidence), ...overtaken(evidence)].slice(-MOST);
}

/** What changes something and was sent more often than in the passes; without one, twice at once. */
function sentTwice(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  const findings: Finding[] = [];
  for (const [key, all] of facts.byKey) {
    const sent = all.filter(
      (one, at) =>
        CHANGING.has(one.method) &&
        one.type !== "api" &&
        // What failed is tried again; what is refused since the first is under way was sent once too often.
        (!isFailedExchange(one) ||
          all.slice(0, at).some((before) => isUnderWay(before, one) || isLeftBehind(before, one))) &&
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
  return findings;
}

/** No person presses twice so soon. */
const ONE_PRESS_MS = 50;

/** Whether a page sends it time and again anyhow: to keep what is written, to stay signed in. */
const isAtIntervals = (sent: Exchange[], usual: number[]) =>
  Math.min(...usual) > 1 &&
  (sent[0]!.method === "PUT" || sent.every((one, at) => at === 0 || one.ts - sent[at - 1]!.ts > AT_ONCE_MS));

const isUnderWay = (before: Exchange, one: Exchange): boolean =>
  !isFailedExchange(before) && (before.end ?? Number.POSITIVE_INFINITY) > one.ts;

/** Whether one was broken off right after another had been answered: what the answer led to took the page away. */
const isLeftBehind = (before: Exchange, { ts, status, error }: Exchange): boolean =>
  !isFailedExchange(before) &&
  status === null &&
  /ABORTED|NS_BINDING|cancell?ed/i.test(error ?? "") &&
  ts - (before.end ?? before.ts) <= AT_ONCE_MS;

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

/** An older question to the same address whose answer came after that to a newer one. */
function overtaken(evidence: Evidence): Finding[] {
  const { run } = evidence;
  return overtakings(run.facts)
    .filter(([older]) => isBefore(evidence, older.end!))
    .map(([older, newer]) => {
      const shown = shownOf(evidence, older, newer);
      return {
        kind: "out_of_order" as const,
        title: `The answer to ${requestOf(older, run.facts)} came ${lapse(older.end! - newer.end!)} after that to ${requestOf(newer, run.facts)}, which was asked later: ${shown === null ? "the older answer may have overwritten the newer one" : `the page shows ${quoted(shown, 60)}, which only the older answer has`}`,
        detail: `It took ${lapse(older.end! - older.ts)}, the newer one ${lapse(newer.end! - newer.ts)}.`,
        step_id: older.step_id,
        events: [older.seq, newer.seq],
        ts: older.end,
        // Passes may have had that order as well, and known what to do with it.
        is_new:
          shown !== null && evidence.passes.length > 0
            ? true
            : isNew(evidence, (pass) =>
                overtakings(pass.facts).some(
                  ([other]) => exchangeKey(other, pass.facts) === exchangeKey(older, run.facts),
                ),
              ),
        weight: run.facts.steps.some(
          (step) => NAVIGATES.test(step.name) && holds(step, older) && holds(step, newer),
        )
          ? 0.5
          : 0.82,
        about: `order ${aboutUrl(older.url, run.facts)}`,
      };
    });
}

/** A text that the older of two answers alone has and the page shows, as no page of a pass does; null where there is none. */
function shownOf({ run, passes }: Evidence, older: Exchange, newer: Exchange): string | null {
  const textsOf = (one: Exchange) =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).flatMap(({ value }) =>
      (typeof value === "string" && value.length > 2) || typeof value === "number" ? [String(value)] : [],
    );
  const known = new Set(textsOf(newer));
  const pages = [run.page, run.before ?? null].filter((page) => page !== null && page.shot.ts >= older.end!);
  const shows = (page: RunEvidence["page"], text: string) =>
    page?.elements.some(({ own, isHidden }) => !isHidden && oneLine(own) === text) ?? false;
  return (
    textsOf(older).find(
      (text) =>
        !known.has(text) &&
        pages.some((page) => shows(page, text)) &&
        !passes.some(({ page }) => shows(page, text)),
    ) ?? null
  );
}

/** A page that loads asks for many things at once, and what each answer is for stands in it. */
const NAVIGATES = /^(?:\w+\.)?(?:goto|navigate|reload|goBack|goForward|setContent)$/;
const holds = ({ ts, end }: { ts: number; end: number }, one: Exchange) => one.ts >= ts && one.ts <= end;
const AHEAD_MS = 20;
/** What is asked for sooner after another is not asked in its place, but beside it. */
const ASKED_APART_MS = 30;

/** Pairs of an older and a newer request for the same path with other parameters, answered the other way round. */
function overtakings({ exchanges }: RunFacts): [Exchange, Exchange][] {
  const byPath = Map.groupBy(
    exchanges.filter(
      ({ method, end, status, type, url }) =>
        method === "GET" &&
        end !== null &&
        status !== null &&
        status < 400 &&
        /^(?:xhr|fetch)$/.test(type ?? "") &&
        url.includes("?") &&
        !isPolling({ url }),
    ),
    ({ url }) => url.slice(0, url.indexOf("?")),
  );
  const pairs: [Exchange, Exchange][] = [];
  for (const asked of byPath.values())
    for (let at = 1; at < asked.length && pairs.length < MOST; at++) {
      const older = asked[at - 1]!;
      const isOvertakenBy = (one: Exchange) => one.url !== older.url && older.end! > one.end! + AHEAD_MS;
      const next = asked[at]!;
      const newer =
        asked.slice(at, at + MOST).findLast((one) => isTypedOn(older, one) && isOvertakenBy(one)) ??
        (next.ts - older.ts >= ASKED_APART_MS && isOvertakenBy(next) ? next : undefined);
      if (newer) pairs.push([older, newer]);
    }
  return pairs;
}

/** Whether a question goes on where an older one ended: whoever types asks so, however quickly. */
const isTypedOn = (older: Exchange, { url }: Exchange): boolean =>
  /[^=\d]$/.test(older.url) && url.startsWith(older.url);
