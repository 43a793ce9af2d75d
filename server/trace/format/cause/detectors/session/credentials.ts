import { isBeside } from "../../alone/beside.ts";
import { isBefore } from "../../compare.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { credentialsOf, isWhole } from "../../exchanges/sent-credentials.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, headerOf, pathOf, quoted, requestOf } from "../../words.ts";
import { isAway } from "./storage.ts";

const MOST = 10;

/** What every pass sent with a request and this run did not; of several requests the first that was answered otherwise for it. */
export function detectCredentials(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const usual = createUsual(passes.map(({ facts }) => facts));
  const strayed = strayedAt(evidence);
  const turns = new Map<string, number>();
  const found = new Map<string, Missed>();
  for (const one of run.facts.exchanges) {
    if (!isBefore(evidence, one.ts) || one.requestHeaders.length === 0) continue;
    const [key, path] = [exchangeKey(one, run.facts), pathOf(one.url)];
    const turn = turns.get(`${key} ${path}`) ?? 0;
    const turnOfKind = turns.get(key) ?? 0;
    turns.set(`${key} ${path}`, turn + 1);
    turns.set(key, turnOfKind + 1);
    const always = missedBy(one, usual.of(key, path), run.facts);
    const isSentAway = always.length === 0 && one.type === "document" && isAway(one) && one.ts < strayed;
    for (const missed of isSentAway
      ? missedBy(one, usual.inTurn(key, path, { turn, turnOfKind }), run.facts)
      : always) {
      const before = found.get(missed.name);
      if (!before || (before.outcome === "" && missed.outcome !== "")) found.set(missed.name, missed);
    }
  }
  return [...found.values()]
    .filter((missed) => !isUngiven(evidence, missed) && !isNotItsOwn(evidence, missed))
    .slice(0, MOST)
    .map((missed) => findingOf(evidence, missed));
}

/** Whether the write after which every pass carries it had not gone out by then: who has not signed in has no cookie for that. */
function isUngiven({ run, passes }: Evidence, { one, name }: Missed): boolean {
  const writes = passes.map(({ facts }) => {
    const first = facts.exchanges.find((other) => credentialsOf(other).has(name));
    const write = facts.exchanges.findLast(
      (other) => CHANGING.has(other.method) && !isBeside(other) && other.ts < (first?.ts ?? 0),
    );
    return write === undefined ? null : exchangeKey(write, facts);
  });
  const [write] = writes;
  return (
    write != null &&
    writes.every((other) => other === write) &&
    exchangesOf(run.facts, write).every(({ ts }) => ts >= one.ts)
  );
}

/**
 * Whether nothing came of it and its page had not been given it: a page may ask the same on and on, once before somebody signs in
 * there, and so may the page of somebody else, who never has that cookie.
 */
function isNotItsOwn({ run, failed }: Evidence, { one, name, outcome }: Missed): boolean {
  if (outcome !== "" || one.page === null) return false;
  const carriers = run.facts.exchanges
    .filter(({ ts }) => ts <= failed.to)
    .filter((other) => credentialsOf(other).has(name));
  const ofItsPage = carriers.filter(({ page }) => page === one.page);
  if (ofItsPage.some(({ ts }) => ts < one.ts)) return false;
  const key = exchangeKey(one, run.facts);
  return ofItsPage.length > 0 || carriers.some((other) => exchangeKey(other, run.facts) === key);
}

/** When a write was answered as in no pass for the first time: who was not let in has no cookie for that. */
function strayedAt({ run, passes }: Evidence): number {
  const one = run.facts.exchanges.find(
    (write) =>
      CHANGING.has(write.method) &&
      write.status !== null &&
      !isBeside(write) &&
      passes.every(({ facts }) =>
        exchangesOf(facts, exchangeKey(write, run.facts)).every(({ status }) => status !== write.status),
      ),
  );
  return one?.ts ?? Number.POSITIVE_INFINITY;
}

interface Missed {
  one: Exchange;
  /** Of a cookie; `authorization` of that header. */
  name: string;
  /** What came of it, as a clause; empty where it was answered as in the passes. */
  outcome: string;
}

function missedBy(one: Exchange, usual: Usual | null, facts: RunFacts): Missed[] {
  if (usual === null || (!isWhole(one) && usual.hasWhole)) return [];
  const mine = credentialsOf(one);
  const missed = usual.always.filter((name) => !mine.has(name));
  if (missed.length === 0) return [];
  const outcome = outcomeOf(one, usual.some, facts);
  return missed.map((name) => ({ one, name, outcome }));
}

/** What the passes always sent with a request. */
interface Usual {
  always: string[];
  /** Whether all headers of one of them are known. */
  hasWhole: boolean;
  some: Exchange[];
}

/** Of one request in one pass, by whose answers outcomes are told. */
const MOST_OUTCOMES = 20;

/**
 * Tells what passes sent with the same request: to that very path, where each of them asked it; null where one of them did not.
 * Each kind is looked at once: thousands of addresses may be called alike.
 */
function createUsual(passes: readonly RunFacts[]): {
  of(key: string, path: string): Usual | null;
  /**
   * What they sent when they asked for that path for this very time, from 0: pages that ask who comes are asked for
   * before and after. Of a thing that each run has its own of, when they asked for one of its kind so often.
   */
  inTurn(key: string, path: string, at: { turn: number; turnOfKind: number }): Usual | null;
} {
  const byPath = passes.map((facts) =>
    Map.groupBy(
      facts.exchanges.filter(({ requestHeaders }) => requestHeaders.length > 0),
      (one) => `${exchangeKey(one, facts)} ${pathOf(one.url)}`,
    ),
  );
  const known = new Map<string, Usual | null>();
  function look(name: string, find: () => Exchange[][]): Usual | null {
    const before = known.get(name);
    if (before !== undefined) return before;
    const theirs = find();
    const found = theirs.every((list) => list.length > 0) ? usualIn(theirs) : null;
    known.set(name, found);
    return found;
  }
  const exactly = (key: string, path: string) => byPath.map((of) => of.get(`${key} ${path}`) ?? []);
  const ofKind = (key: string) =>
    passes.map((facts) => exchangesOf(facts, key).filter(({ requestHeaders }) => requestHeaders.length > 0));
  return {
    of(key, path) {
      const exact = exactly(key, path);
      if (exact.every((list) => list.length > 0)) return look(`${key} ${path}`, () => exact);
      return look(key, () => ofKind(key));
    },
    inTurn(key, path, { turn, turnOfKind }) {
      const exact = exactly(key, path);
      const theirs = exact.every((list) => list.length === 0)
        ? ofKind(key).map((list) => list.slice(turnOfKind, turnOfKind + 1))
        : exact.map((list) => list.slice(turn, turn + 1));
      return theirs.every((list) => list.length > 0) ? usualIn(theirs) : null;
    },
  };
}

function usualIn(theirs: readonly Exchange[][]): Usual {
  const all = theirs.flat();
  let always = [...credentialsOf(all[0]!)];
  for (const one of all) {
    if (always.length === 0) break;
    const names = credentialsOf(one);
    always = always.filter((name) => names.has(name));
  }
  return {
    always,
    hasWhole: all.some(isWhole),
    some: theirs.flatMap((list) => list.slice(0, MOST_OUTCOMES)),
  };
}

/** How a request was refused, or where it led, otherwise than in every pass: a form leads on to another page. */
function outcomeOf(one: Exchange, theirs: readonly Exchange[], facts: RunFacts): string {
  const [mine, ...usual] = [one, ...theirs].map(targetOf);
  const ledTo = mine == null ? "" : ` led to ${addressOf(mine, facts)}`;
  if (!theirs.some(({ status }) => status === one.status))
    return isFailedExchange(one) || isAway(one)
      ? `, and was answered with ${one.status}${ledTo && `, which${ledTo}`}`
      : "";
  // Who leads somewhere else each time leads to things that were made for that run.
  if (mine == null || usual[0] == null || usual.some((other) => other !== usual[0]) || theirs.length < 2)
    return "";
  return mine === usual[0] ? "" : `, and${ledTo} instead of ${pathOf(usual[0])}`;
}

/** Where an answer sends on to; the address of the site, which may be another one in each run, apart. */
function targetOf(one: Exchange): string | null {
  const location = isAway(one) ? headerOf(one.headers, "location") : null;
  const to = location === null ? null : URL.parse(location, one.url);
  return to && (to.host === URL.parse(one.url)?.host ? `${to.pathname}${to.search}` : to.href);
}

function findingOf({ run: { facts } }: Evidence, { one, name, outcome }: Missed): Finding {
  const words = name === "authorization" ? "an Authorization header" : `the cookie ${quoted(name, 60)}`;
  const host = URL.parse(one.url)?.host;
  const carrier = facts.exchanges.find(
    (later) =>
      later.ts >= (one.end ?? one.ts) &&
      URL.parse(later.url)?.host === host &&
      credentialsOf(later).has(name) &&
      pathOf(later.url) !== pathOf(one.url),
  );
  const though =
    carrier && outcome !== "" && name !== "authorization"
      ? `; ${requestOf(carrier, facts)} carried it afterwards, so it may be set for another path`
      : "";
  return {
    kind: "storage",
    title: `${requestOf(one, facts)} was sent without ${words}, which it carried in the last pass${outcome}${though}`,
    detail: null,
    step_id: one.step_id,
    events: [
      ...(one.requestSeq === null ? [] : [one.requestSeq]),
      one.seq,
      ...(though !== "" && carrier ? [carrier.requestSeq ?? carrier.seq] : []),
    ],
    ts: one.ts,
    is_new: true,
    weight: outcome === "" ? 0.7 : 0.97,
    about: aboutUrl(one.url, facts),
    isUnaccompanied: true,
    ...(name !== "authorization" && { lackedCookie: name }),
  };
}
