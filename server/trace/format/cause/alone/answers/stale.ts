import { copyOf, keeperOf } from "../../detectors/answers/headers.ts";
import { isRead, isWrite } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isOneForAll } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, isTracker, pathOf, requestOf } from "../../words.ts";
import { sharesPart } from "../requests/one-thing.ts";

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
    (one) => isRead(one, run) && /^(?:xhr|fetch|document)$/.test(one.type ?? ""),
  );
  const changes = changesOf(run);
  for (const one of answers.toReversed()) {
    const how = copyOf(one, facts) ? `out of ${keeperOf(one)}, with the copy of before` : staleness(one);
    const first = exchangesOf(facts, exchangeKey(one, facts)).find(
      ({ ts, status, url }) => ts < one.ts && status !== null && pathOf(url) === pathOf(one.url),
    );
    const change = how === null || !first ? undefined : changeBetween(changes, first, one);
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
        weight: !isOneForAll(one) && isWithin(folderOf(one), folderOf(change)) ? 0.8 : 0.64,
        about: aboutUrl(one.url, facts, one.operation),
      },
    ];
  }
  return [];
}

interface Change {
  exchange: Exchange;
  path: string;
}

/** What the run changed with success, oldest first. */
function changesOf(run: RunEvidence): Change[] {
  return run.facts.exchanges
    .filter(
      (one) =>
        isWrite(one, run) &&
        one.status !== null &&
        !isFailedExchange(one) &&
        !isTracker(one.url) &&
        !SESSION.test(one.url),
    )
    .map((exchange) => ({ exchange, path: folderOf(exchange) }));
}

/** The last change between two answers: of the same thing, or by a form before a page. */
function changeBetween(changes: readonly Change[], first: Exchange, one: Exchange): Exchange | undefined {
  const path = folderOf(one);
  return changes.findLast(
    ({ exchange, path: changed }) =>
      exchange.ts > (first.end ?? first.ts) &&
      exchange.ts < one.ts &&
      (isWithin(path, changed) ||
        sharesPart(exchange, one) ||
        (exchange.type === "document" && one.type === "document")),
  )?.exchange;
}

/** Ends with a slash, whether or not the address does. */
const folderOf = ({ url }: Exchange): string => `${pathOf(url).replace(/(?<!\/)\/+$/, "")}/`;

/** Whether one path lies within the other: `/api/settings/digest/` and `/api/settings/`. */
const isWithin = (one: string, other: string): boolean =>
  one !== "/" && other !== "/" && (one.startsWith(other) || other.startsWith(one));
