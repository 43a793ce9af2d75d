import { copyOf } from "../detectors/headers.ts";
import { isFailedExchange } from "../detectors/requests.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange } from "../run-facts.ts";
import { answersBefore } from "../select.ts";
import { staleness } from "../staleness.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, isTracker, requestOf } from "../words.ts";
import { CHANGES } from "./kept.ts";

const MOST = 60;
/** Who comes and goes changes no thing. */
const SESSION = /log-?in|log-?out|sign-?in|sign-?out|auth|session|token/i;

/** An answer that came out of a cache although the run had changed something since it was given: the page shows what was before. */
export function detectOldCopy(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const answers = answersBefore(
    evidence,
    MOST,
    ({ type, method }) => method === "GET" && /^(?:xhr|fetch|document)$/.test(type ?? ""),
  );
  for (const one of answers.toReversed()) {
    const how = copyOf(one, facts) ? "out of the browser's cache, with the copy of before" : staleness(one);
    const first = exchangesOf(facts, exchangeKey(one, facts)).find(
      ({ ts, status }) => ts < one.ts && status !== null,
    );
    const change = how === null || !first ? undefined : changeBetween(evidence, first, one);
    if (!change) continue;
    return [
      {
        kind: "stale_answer",
        title: `${requestOf(one, facts)} was answered ${how}, though ${requestOf(change, facts)} had been sent since: the page may show what was before that`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq, change.seq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: isWithinOf(one, change) ? 0.8 : 0.64,
        about: aboutUrl(one.url, facts, one.operation),
      },
    ];
  }
  return [];
}

/** What the page changed between two answers: of the same thing, or by a form before a page. */
function changeBetween({ run: { facts } }: Evidence, first: Exchange, one: Exchange): Exchange | undefined {
  return facts.exchanges.findLast(
    (change) =>
      (CHANGES.has(change.method) || change.method === "DELETE") &&
      change.status !== null &&
      !isFailedExchange(change) &&
      !isTracker(change.url) &&
      !SESSION.test(change.url) &&
      change.ts > (first.end ?? first.ts) &&
      change.ts < one.ts &&
      (isWithinOf(one, change) || (change.type === "document" && one.type === "document")),
  );
}

/** Whether one address lies within the other: `/api/settings/digest` and `/api/settings`. */
function isWithinOf(one: Exchange, change: Exchange): boolean {
  const [asked, changed] = [one, change].map(
    ({ url }) => `${(URL.parse(url)?.pathname ?? "").replace(/\/+$/, "")}/`,
  );
  return asked !== "/" && changed !== "/" && (asked!.startsWith(changed!) || changed!.startsWith(asked!));
}
