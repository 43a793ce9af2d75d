import { isDeepStrictEqual } from "node:util";
import { oncePer } from "../once.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangesOf } from "../run/keys.ts";
import { isMissing } from "../run/missing-element.ts";
import type { Exchange, RunFacts } from "../run/run-facts.ts";
import { GESTURES, momentIn } from "../run/select.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { handedOver } from "../values/handed-over.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, LONGEST_QUERY, quoted } from "../words.ts";
import { isNamedByTest, rankOf } from "./difference-rank.ts";
import { type Difference, differencesOf, type Varying, varyingIn } from "./differences.ts";
import { askedIn, CHANGING, isWrite, queryOf, requestBodyOf, SECRET } from "./sent.ts";

/** What a pass answered to the same request; to the very same words, where it was asked in them. The same list for the same question. */
export function othersOf(pass: RunEvidence, key: string, one: Exchange, run: RunEvidence): Answer[] {
  const { asked, query } = wordsOf(run, one);
  const { lists } = knownOf(run, pass);
  const name = `${key}\n${asked}\n${query}`;
  const known = lists.get(name);
  if (known) return known;
  const same = exchangesOf(pass.facts, key).filter(({ status }) => status !== null);
  const exact = same.filter((other) => wordsOf(pass, other).asked === asked);
  const inQuery = same.filter((other) => wordsOf(pass, other).query === query);
  const chosen = [exact, inQuery].find((list) => list.length > 0) ?? same;
  const list = chosen.map((exchange) => readOnce(exchange, pass, run));
  lists.set(name, list);
  return list;
}

function readOnce(exchange: Exchange, pass: RunEvidence, run = pass): Answer {
  const { answers } = knownOf(run, pass);
  const read = answers.get(exchange) ?? answerOf(exchange, pass, run);
  answers.set(exchange, read);
  return read;
}

/** What a run knows of a pass already: a page that asks time and again has a thousand answers to one question, in each run. */
interface Known {
  lists: Map<string, Answer[]>;
  answers: Map<Exchange, Answer>;
}

const knownOf = oncePer(
  (_run: RunEvidence, _pass: RunEvidence): Known => ({ lists: new Map(), answers: new Map() }),
);

const wordsOf = oncePer((run: RunEvidence, one: Exchange) => ({
  asked: askedIn(one, run),
  query: queryOf(one).join("&"),
}));

function answerOf(exchange: Exchange, pass: RunEvidence, run: RunEvidence): Answer {
  const text = bodyOf(exchange, pass.bodies);
  const value = text === undefined ? undefined : dataIn(readdressed(text, pass.facts, run.facts));
  return { exchange, value, plain: value === undefined ? undefined : run.facts.normaliser.json(value) };
}

/** What an answer says as data: the whole of it, or what a page hands to its scripts. */
export const dataIn = (text: string): unknown => jsonOf(text) ?? handedOver(text);

/** Where the site under test listens differs from run to run: what an answer says of it is told by this run's address. */
function readdressed(text: string, { authority: from }: RunFacts, { authority: to }: RunFacts): string {
  return from === null || to === null || from === to || !from.includes(":")
    ? text
    : text.replaceAll(from, to);
}

export interface Answer {
  exchange: Exchange;
  /** Undefined when it is no JSON. */
  value: unknown;
  /** Without ids and times. */
  plain: unknown;
}

/** An answer without ids and times beside those of each pass to the same request. */
export interface Compared {
  others: Answer[][];
  mine: unknown;
  varying: Varying;
  isTelling: (difference: Difference) => boolean;
}

/** The run's own answers to the same request, and which of them this one is; -1 where it is none. */
function placeOf({ run }: Evidence, one: Exchange, key: string): { own: Answer[]; nth: number } {
  const own = othersOf(run, key, one, run);
  return { own, nth: own.findIndex(({ exchange }) => exchange === one) };
}

/**
 * Where an answer is like another one of the passes and not like the one that came in its place: what was changed before
 * is not in it, or what comes later is. Told only where the test looks for what is missing.
 */
export function behind(
  evidence: Evidence,
  one: Exchange,
  key: string,
  { others, mine, varying, isTelling }: Compared,
): Difference[] {
  const { nth } = placeOf(evidence, one, key);
  const theirs = others.flatMap((list) => list[nth] ?? []);
  if (nth < 0 || theirs.length < others.length) return [];
  // Asked as often as in each pass, the last answer is the one that shows what was saved before.
  const isLast = isMissing(evidence) && nth > 0 && others.every(({ length }) => length === nth + 1);
  // What differs between the first and the last answer of a pass does not vary.
  const known = isLast ? varyingIn(theirs.map(({ plain }) => [plain])) : varying;
  const all = theirs.map(({ plain }) =>
    differencesOf(plain, mine, known, isTelling).filter(
      (difference) => rankOf(evidence, difference) >= 2 || (isLast && isShrunk(difference)),
    ),
  );
  return all.every((differences) => differences.length > 0) ? all[0]! : [];
}

/**
 * Where an answer says what it said when the same was asked before, and the passes' answers had changed by then: what was
 * done in between was not taken up.
 */
export function unmoved(
  evidence: Evidence,
  one: Exchange,
  key: string,
  { others, mine, varying, isTelling }: Compared,
): Difference[] {
  const { own, nth } = placeOf(evidence, one, key);
  const isFollowing = nth > 0 && own[nth - 1]!.plain !== undefined;
  if (!isFollowing || !isDeepStrictEqual(own[nth - 1]!.plain, mine)) return [];
  const { run, passes, failed } = evidence;
  const sent = textsSentBetween(run, own[nth - 1]!.exchange, one);
  const all = others.map((list, at) => {
    // What came of the failed step in a pass, or of a later one, could not come here.
    const until = momentIn(passes[at]!.facts, run.facts, failed) ?? Number.POSITIVE_INFINITY;
    const [earlier, later] = [list[nth - 1]?.plain, list[nth]?.plain];
    const isMoved =
      later !== undefined &&
      list[nth]!.exchange.ts <= until &&
      differencesOf(earlier, later, varying).length > 0;
    if (!isMoved) return [];
    const differences = differencesOf(later, mine, varying, isTelling);
    // How many things there are changes beside what was done as well; one that the test names tells.
    return differences.flatMap((difference) => {
      if (!/ items?$/.test(String(difference.now))) return [difference];
      const [here, there] = [own[nth]!.value, list[nth]!.value];
      const come = textsOnlyIn(here, there);
      if (isNamedByTest(come, evidence)) return [{ ...difference, come }];
      const lacked = textsOnlyIn(there, here).filter((text) => sent.has(text));
      return lacked.length > 0 ? [{ ...difference, gone: lacked }] : [];
    });
  });
  return all.every((differences) => differences.length > 0) ? all[0]! : [];
}

/** Texts of what was written between two questions, and taken. */
function textsSentBetween(run: RunEvidence, before: Exchange, one: Exchange): Set<string> {
  const writes = run.facts.exchanges.filter(
    (each) =>
      each.ts >= before.ts && (each.end ?? one.ts) <= one.ts && isWrite(each, run) && !isFailedExchange(each),
  );
  const leaves = writes.slice(-MOST_WRITES).flatMap((write) => leavesOf(requestBodyOf(write, run)));
  return new Set(
    leaves.flatMap(({ value }) => (typeof value === "string" && value.length > 2 ? [value] : [])),
  );
}

const MOST_WRITES = 10;

/** Texts of an answer that another one has not, what reads as an id as well. */
function textsOnlyIn(value: unknown, other: unknown): string[] {
  const known = new Set(leavesOf(other).map((leaf) => leaf.value));
  return leavesOf(value).flatMap((leaf) =>
    typeof leaf.value === "string" && leaf.value.length > 2 && !known.has(leaf.value) ? [leaf.value] : [],
  );
}

/** Whether an answer says what an earlier one said to another question, where the passes were told something else. */
export function isRepeated(evidence: Evidence, one: Exchange, key: string, mine: unknown): boolean {
  const { run } = evidence;
  const { asked } = wordsOf(run, one);
  // The first page of a list is often asked for without a word of pages.
  const isOfPath = (other: Exchange) =>
    other.method === one.method && other.operation === one.operation && pathOf(other) === pathOf(one);
  const same = one.method === "GET" ? run.facts.exchanges.filter(isOfPath) : exchangesOf(run.facts, key);
  return same.some((other) => {
    if (other.ts >= one.ts || wordsOf(run, other).asked === asked) return false;
    const { plain } = readOnce(other, run);
    return (
      plain !== undefined && isDeepStrictEqual(plain, mine) && !isHeeded(run, one, { other, same, mine })
    );
  });
}

/** Whether what two questions differ in was heeded elsewhere: a third one that differs in nothing else was answered otherwise. */
function isHeeded(
  run: RunEvidence,
  one: Exchange,
  { other, same, mine }: { other: Exchange; same: readonly Exchange[]; mine: unknown },
): boolean {
  const names = new Set(partsApart(one, other));
  return same.slice(-MOST_THIRDS).some((third) => {
    const apart = third === one || third === other ? [] : partsApart(one, third);
    if (apart.length === 0 || !apart.every((name) => names.has(name))) return false;
    const { plain } = readOnce(third, run);
    return plain !== undefined && !isDeepStrictEqual(plain, mine);
  });
}

const MOST_THIRDS = 20;

/** The parts of their queries by which two questions differ; a part that only one of them has is another question. */
function partsApart(one: Exchange, other: Exchange): string[] {
  const [mine, theirs] = [one, other].map((each) => new Map(queryOf(each))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  if (mine.size !== theirs.size || [...mine.keys()].some((name) => !theirs.has(name))) return [];
  return [...mine].flatMap(([name, value]) => (theirs.get(name) === value ? [] : [name]));
}

const pathOf = ({ url }: Exchange): string => url.replace(/[?#].*/s, "");

/** Whether a list has fewer items than it had. */
const isShrunk = ({ before, now }: Difference) =>
  [before, now].every((count) => typeof count === "string" && /^(?:no|\d+) items?$/.test(count)) &&
  (Number.parseInt(String(now), 10) || 0) < Number.parseInt(String(before), 10);

/** Whether the test itself went on asking, and did nothing else, until it was answered as in the passes. */
export function isAskedOn(
  { run, failed }: Evidence,
  one: Exchange,
  key: string,
  { others, varying }: Pick<Compared, "others" | "varying">,
): boolean {
  if (one.type !== "api" || one.method !== "GET") return false;
  const isDoneBetween = (later: Exchange) =>
    run.facts.steps.some(({ name, ts }) => GESTURES.test(name) && ts > one.ts && ts < later.ts) ||
    run.facts.exchanges.some(
      ({ type, method, ts }) => type === "api" && CHANGING.has(method) && ts > one.ts && ts < later.ts,
    );
  return othersOf(run, key, one, run).some(
    ({ exchange: later, plain }) =>
      later.ts > one.ts &&
      later.url === one.url &&
      later.end !== null &&
      later.end <= failed.from &&
      plain !== undefined &&
      !isDoneBetween(later) &&
      others.every((list) => list.some((other) => differencesOf(other.plain, plain, varying).length === 0)),
  );
}

/** What a question has in its query and the one before it to that address had not, as a clause: it changed nothing. */
export function addedIn(one: Exchange, run: RunEvidence): string {
  const added = addedPart(one, run);
  return added === null ? "" : `, ignoring ${quoted(added[1], 40)} for ${quoted(added[0], 40)}`;
}

/** What a question with a long query asks for and the one before it did not, as a clause: of a list the part that was asked for. */
export function askedAnew(one: Exchange, run: RunEvidence): string {
  const added = (URL.parse(one.url)?.search.length ?? 0) > LONGEST_QUERY ? addedPart(one, run) : null;
  return added === null || SECRET.test(added[0]) ? "" : `; it was asked with ${quoted(added.join("="), 60)}`;
}

/** The one part of a query that the question before it to that address had not; null where there is none, or several. */
function addedPart(one: Exchange, { facts }: RunEvidence): [string, string] | null {
  const before = facts.exchanges.findLast(
    (other) => other.ts < one.ts && other.method === one.method && pathOf(other) === pathOf(one),
  );
  const known = new Set(before && queryOf(before).map(String));
  const added = queryOf(one).filter((part) => part[1] !== "" && !known.has(String(part)));
  return added.length === 1 ? added[0]! : null;
}
