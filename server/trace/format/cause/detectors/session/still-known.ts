import { isBefore } from "../../compare.ts";
import { cookieNames } from "../../exchanges/cookie-terms.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isForeign, isTracker, pathOf, quoted, requestOf } from "../../words.ts";
import { endedBy } from "./storage.ts";

const MOST_WRITES = 20;

/** A write after which every pass is turned away where it was known before: here the server still knows who asks. */
export function detectStillKnown(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  if (passes.length === 0) return [];
  const writes = facts.exchanges.filter(
    (one) =>
      isWrite(one, run) && isDone(one) && !isOfOthers(one, facts) && isBefore(evidence, one.end ?? one.ts),
  );
  return writes.slice(-MOST_WRITES).flatMap((write): Finding[] => {
    const theirs = passes.map((pass) => ofSameTurn(write, facts, pass.facts, isDone));
    const known = facts.exchanges.find(
      (one) =>
        isRead(one) &&
        one.ts >= (write.end ?? write.ts) &&
        one === firstAfter(write, exchangeKey(one, facts), facts) &&
        isBefore(evidence, one.ts) &&
        isDone(one) &&
        theirs.every((other, at) => isTurnedAway(other, exchangeKey(one, facts), passes[at]!.facts)),
    );
    return known ? [findingOf(evidence, write, known, theirs[0]!)] : [];
  });
}

function findingOf({ run, passes }: Evidence, write: Exchange, known: Exchange, other: Exchange): Finding {
  const { facts } = run;
  const carried = cookieNames(known);
  const kept = endedBy(other).filter((name) => carried.has(name) && !endedBy(write).includes(name));
  const why = kept[0] === undefined ? "" : `, and did not take the cookie ${quoted(kept[0], 60)} away`;
  const refused = firstAfter(other, exchangeKey(known, facts), passes[0]!.facts)!;
  return {
    kind: "storage",
    title: `${requestOf(write, facts)} was answered with ${write.status}, but did not end the session${why}: ${requestOf(known, facts)} was still answered with ${known.status} after it, where every pass gets ${refused.status}`,
    detail: null,
    step_id: known.step_id,
    events: [write.seq, known.seq],
    ts: known.end ?? known.ts,
    is_new: true,
    weight: 0.975,
    about: aboutUrl(known.url, facts, known.operation),
  };
}

const isDone = (one: Exchange): boolean => one.status !== null && !isFailedExchange(one);

const isOfOthers = ({ url }: Exchange, facts: RunFacts): boolean => isTracker(url) || isForeign(url, facts);

const isRead = ({ method, type }: Exchange): boolean =>
  method === "GET" && /^(?:xhr|fetch|document)$/.test(type ?? "");

/** The first answer to a question after a write, of the same page: another one may be another person's. */
const firstAfter = (write: Exchange, key: string, facts: RunFacts): Exchange | undefined =>
  exchangesOf(facts, key).find(
    (one) => one.ts >= (write.end ?? write.ts) && one.status !== null && one.page === write.page,
  );

/** Whether a write is there to end a session, by its address: a page may not have asked since it began, before anybody had signed in. */
const isSignOut = ({ method, url }: Exchange): boolean =>
  method === "DELETE" ? /\/sessions?(?:\/|$)/i.test(pathOf(url)) : SIGN_OUT.test(pathOf(url));

const SIGN_OUT = /(?:log|sign)[-_]?(?:out|off)/i;

/** Whether a pass was known before a write and turned away right after it. */
function isTurnedAway(write: Exchange | undefined, key: string, facts: RunFacts): boolean {
  if (!write) return false;
  const before = exchangesOf(facts, key).findLast((one) => one.ts < write.ts && one.status !== null);
  const after = firstAfter(write, key, facts);
  const isKnown = (before !== undefined && isDone(before)) || isSignOut(write);
  return isKnown && (after?.status === 401 || after?.status === 403);
}
