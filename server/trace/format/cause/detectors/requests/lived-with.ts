import { isUnderWay } from "../../alone/answers/unfinished.ts";
import { holds, soughtBy } from "../../alone/requests/sought.ts";
import { AT_ONCE_MS, isPrompted } from "../../exchanges/prompted.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { askedIn, isWrite } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { GESTURES, momentIn } from "../../run/select.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { isFigureOf } from "../../values/figures.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isTracker, pathOf, TROUBLE, withoutQuery } from "../../words.ts";
import { isState } from "./job-state.ts";

/** What a question that failed still explains, where the page lives with it. */
const ONCE_BETWEEN = 0.2;
const NEEDLESS = 0.5;
const BESIDE = 0.5;
/** Of one question, the last. */
const MOST = 50;
/** What a failure makes a page throw comes at once. */
const THROWN_WITHIN_MS = 500;
const IN_BACKGROUND = /^(?:xhr|fetch)$/;
const SHORTEST = 3;
const SHORTEST_SAID = 8;
const LONGEST_SAID = 300;

/**
 * How much less a failed question explains that the page asked by itself, and that nothing waited for: one that it repeats and that
 * failed once or that was answered before the step gave up, one that no pass asks, or one that fails each time and only ever brings figures that nobody looks at. It explains as much as any where the page says so, or the step looks at what it brings.
 */
export function livedWith(evidence: Evidence, one: Exchange): number {
  if (!isOfServer(one) || isWrite(one, evidence.run)) return 1;
  const answers = answeredBefore(evidence.run, one);
  if (answers.length === 0) answers.push(...answeredSince(evidence, one));
  const factor =
    answers.length > 0
      ? ONCE_BETWEEN
      : isNeedless(evidence, one)
        ? NEEDLESS
        : isBeside(evidence, one)
          ? BESIDE
          : 1;
  return factor === 1 || isHeeded(evidence, one) || isLookedAt(evidence, one, answers) ? 1 : factor;
}

/** Whether a server failed for the moment, and not the test for it. */
const isOfServer = ({ type, status, handled }: Exchange): boolean =>
  IN_BACKGROUND.test(type ?? "") && handled === null && (status === null || status >= 500 || status === 429);

/** The answers to the same question before one that failed alone; none where it is no question that a page repeats by itself. */
function answeredBefore(run: RunEvidence, one: Exchange): Exchange[] {
  const same = askedAlike(run, one);
  const at = same.indexOf(one);
  const last = same[at - 1];
  const next = same[at + 1];
  if (!last || isFailedExchange(last) || one.ts - last.ts < AT_ONCE_MS) return [];
  if ((next && isFailedExchange(next)) || isPrompted(run, one)) return [];
  return same.slice(0, at).filter((other) => !isFailedExchange(other));
}

/** The answers to the same question that the page had by asking again, well before the step gave up. */
const answeredSince = ({ run, failed }: Evidence, one: Exchange): Exchange[] =>
  askedAlike(run, one).filter(
    (other) =>
      other.ts > one.ts &&
      other.end !== null &&
      other.end < failed.to - THROWN_WITHIN_MS &&
      !isFailedExchange(other) &&
      !isPrompted(run, other),
  );

function askedAlike(run: RunEvidence, one: Exchange): Exchange[] {
  const asked = askedIn(one, run);
  return exchangesOf(run.facts, exchangeKey(one, run.facts))
    .slice(-MOST)
    .filter((other) => other.page === one.page && askedIn(other, run) === asked);
}

/** Whether no pass asks for such a thing, and this run asked for all else that they do: the page does without it. */
function isNeedless({ run, passes, failed }: Evidence, one: Exchange): boolean {
  if (passes.length === 0 || isPrompted(run, one, GESTURES)) return false;
  const placeOf = ({ url }: Exchange, { facts }: RunEvidence) => facts.normaliser.url(withoutQuery(url));
  const place = placeOf(one, run);
  const mine = new Set(run.facts.exchanges.map((other) => placeOf(other, run)));
  return passes.every((pass) => {
    const until = momentIn(pass.facts, run.facts, failed) ?? Number.NEGATIVE_INFINITY;
    const asked = pass.facts.exchanges.filter(
      ({ ts, type }) => ts <= until && IN_BACKGROUND.test(type ?? ""),
    );
    const places = asked.filter(({ url }) => !isTracker(url)).map((other) => placeOf(other, pass));
    return places.length > 0 && !places.includes(place) && places.every((other) => mine.has(other));
  });
}

/**
 * Whether a question that a page asks again and again by itself failed each time since it was opened, where passes are answered with figures and times alone:
 * nothing else on a page hangs by those.
 */
function isBeside({ run, passes }: Evidence, one: Exchange): boolean {
  const opened = run.facts.exchanges.findLast(
    ({ type, page, ts }) => type === "document" && page === one.page && ts <= one.ts,
  );
  const same = askedAlike(run, one).filter(({ ts }) => ts >= (opened?.ts ?? 0));
  if (same.length < 2 || !same.every(isFailedExchange)) return false;
  if (same.every((other) => isPrompted(run, other, GESTURES)) || passes.length === 0) return false;
  return passes.every((pass) => {
    const answered = exchangesOf(pass.facts, exchangeKey(one, run.facts)).filter(
      (other) => !isFailedExchange(other),
    );
    const values = answered.slice(-MOST).flatMap((other) => valuesIn(pass, other));
    return values.length > 0 && values.every((value) => typeof value === "number" || isTime(value));
  });
}

const isTime = (value: unknown): boolean =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value));

/** Whether the page says that it failed, or threw something right after it. */
function isHeeded({ run, passes }: Evidence, one: Exchange): boolean {
  const end = one.end ?? one.ts;
  if (
    run.facts.lines.some(({ source, ts }) => source === "page" && ts >= end && ts <= end + THROWN_WITHIN_MS)
  )
    return true;
  const said = saidIn(bodyOf(one, run.bodies)) ?? "";
  const others = [...(run.earlier ?? []), run.before, ...passes.map(({ page }) => page)];
  const known = new Set(others.flatMap((page) => page?.elements.map(({ own }) => own) ?? []));
  return (run.page?.elements ?? []).some(
    ({ own, isHidden }) =>
      !isHidden &&
      own.length >= SHORTEST_SAID &&
      own.length <= LONGEST_SAID &&
      ((said.length >= SHORTEST_SAID && own.includes(said)) ||
        (TROUBLE.test(own) && !known.has(own) && !isOfAnother(own, one, run))),
  );
}

/** Whether a message is by its words about what another question of the page asked for. */
function isOfAnother(message: string, one: Exchange, { facts }: RunEvidence): boolean {
  const said = topicsOf(message);
  const isOf = (other: Exchange) => topicsIn(other).some((topic) => said.includes(topic));
  return !isOf(one) && facts.exchanges.slice(-MOST).some(isOf);
}

/** Names of a question that say nothing of what it is about. */
const NAMELESS = new Set(["statu", "state", "healt", "versi", "index", "json"]);

/** Whether the step has to do with what the question is about: by its words, for a job that is under way, or by what it answered. */
function isLookedAt(evidence: Evidence, one: Exchange, answers: readonly Exchange[]): boolean {
  const { failed, run } = evidence;
  const page = pathOf(run.page?.shot.url ?? "");
  const spoken = new Set(topicsOf([targetOf(evidence), failed.title, failed.expected, page].join(" ")));
  const own = topicsIn({ ...one, url: partBeside(pathOf(one.url), page, run) });
  return own.some((topic) => spoken.has(topic)) || isAwaited(evidence, one, answers);
}

/** Where a question and a page are of two parts of one thing, the part that is asked for: `pulse` of `/api/o/acme/pulse` on a page at `/o/acme/items`. */
function partBeside(path: string, page: string, { facts }: RunEvidence): string {
  const [asked, seen] = [path, page].map(partsOf) as [string[], string[]];
  for (const from of asked.keys()) {
    const count = asked.slice(from).findIndex((part, at) => part !== seen[at]);
    if (count < 1 || count >= seen.length) continue;
    const rest = asked.slice(from + count);
    if (count >= FEWEST_SHARED || isOfMany(facts, seen[0]!, rest[0]!)) return rest.join("/");
  }
  return path;
}

const FEWEST_SHARED = 2;

/** Whether a part of addresses has several things below it besides one, as a customer's name has: it says nothing of any of them. */
function isOfMany({ exchanges, host }: RunFacts, part: string, one: string): boolean {
  const below = exchanges.slice(-MOST_READ).flatMap(({ url }) => {
    const parts = URL.parse(url)?.hostname === host ? partsOf(pathOf(url)) : [];
    const at = parts.indexOf(part);
    return at < 0 ? [] : parts.slice(at + 1, at + 2);
  });
  return new Set(below.filter((other) => other !== one && NAME.test(other))).size >= FEWEST_SHARED;
}

const MOST_READ = 500;
const NAME = /^[a-z][a-z_-]{3,}$/i;

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

const topicsIn = ({ url, operation }: Exchange): string[] =>
  topicsOf(`${pathOf(url)} ${operation ?? ""}`).filter((topic) => !NAMELESS.has(topic));

/** Whether the step waits for what the question is to bring. */
function isAwaited(evidence: Evidence, one: Exchange, answers: readonly Exchange[]): boolean {
  const { failed, run, passes } = evidence;
  const last = answers.at(-1);
  const known = answers.flatMap((other) => valuesIn(run, other));
  if (last?.status === 202 || (last && leavesIn(run, last).some(isOfJob))) return true;
  const wanted = soughtBy(evidence)?.text ?? bareOf(failed.expected ?? "");
  const isWanted = (value: unknown) => isToldIn(value, wanted);
  // The page shows what the question had brought, and the step waits for what it is to bring.
  if (known.some((value) => isToldIn(value, bareOf(failed.received ?? "")) && !isWanted(value))) return true;
  return (
    !known.some(isWanted) &&
    passes.some((pass) =>
      exchangesOf(pass.facts, exchangeKey(one, run.facts))
        .slice(-MOST)
        .some((other) => valuesIn(pass, other).some(isWanted)),
    )
  );
}

const isOfJob = ({ path, value }: Leaf): boolean =>
  isState(path) && typeof value === "string" && isUnderWay(value);

/** Whether a value of an answer is in what a step read or wants. */
const isToldIn = (value: unknown, text: string): boolean =>
  typeof value === "string" && value.length >= SHORTEST && !isFigureOf(value, text)
    ? text.length >= SHORTEST && (holds(text, value) || holds(value, text))
    : isFigureOf(value, text);

const leavesIn = (run: RunEvidence, one: Exchange): Leaf[] => leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
const valuesIn = (run: RunEvidence, one: Exchange): unknown[] => leavesIn(run, one).map(({ value }) => value);
