import { isDeepStrictEqual } from "node:util";
import { isRefusedBy } from "../../alone/requests/refused.ts";
import { isBefore } from "../../compare.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { CHANGING, isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { ONE_PRESS_MS, sentAgainAtOnce } from "../../exchanges/sent-at-once.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangesOf } from "../../run/keys.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { GESTURES } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import {
  aboutUrl,
  bodyOf,
  headerOf,
  howOften,
  isTracker,
  lapse,
  quoted,
  quotedStep,
  requestOf,
} from "../../words.ts";
import { contentTypeOf } from "./sent-as.ts";

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
        // What failed is tried again; what is refused since the first one is done, or under way, was sent once too often.
        (!isRefusedBy(one, run) ||
          isLeftBeside(one, all.slice(Math.max(0, at - MOST_BESIDE), at + MOST_BESIDE + 1), run) ||
          all.slice(0, at).some((before) => isInWay(before, one, run) || isLeftBehind(before, one)) ||
          all.slice(at + 1, at + 1 + MOST_BESIDE).some((other) => isTakenFirst(other, one, run))) &&
        isBefore(evidence, one.ts),
    );
    const [first] = sent;
    const last = sent.at(-1);
    const doubled = doubledIn(all, evidence, key) ?? doubledByPress(all, evidence, key);
    if (doubled !== null) {
      findings.push(doubled);
      continue;
    }
    if (
      !first ||
      !last ||
      sent.length < 2 ||
      isTracker(first.url) ||
      isPolling(first) ||
      ((isOfMany(first.url) || first.operation !== null) &&
        !isWrite(first, run) &&
        !isDoneOnce(sent, run) &&
        !isChanging(sent, run))
    )
      continue;
    const usual = passes.map((pass) => exchangesOf(pass.facts, key).length);
    const isMore =
      passes.length === 0
        ? isTwin(sent, run) || isTwinOfOnePress(sent, run)
        : Math.max(...usual) > 0 && Math.max(...usual) < sent.length;
    if (!isMore) continue;
    const refused = sent.findLast((one) => isRefusedBy(one, run));
    findings.push({
      kind: "request_repeated",
      title: `${requestOf(first, facts)} was sent ${howOften(sent.length)}, ${last.ts - first.ts < 1 ? "at once" : `within ${lapse(last.ts - first.ts)}`}${keyedApart(sent)}${passes.length === 0 ? "" : `; in the last pass ${howOften(usual[0]!)}`}${refused ? refusedWith(refused, run, refused === last) : ""}`,
      detail: null,
      step_id: last.step_id,
      events: sent.slice(0, 5).map(({ seq }) => seq),
      ts: last.ts,
      is_new: passes.length === 0 ? null : true,
      // What a page saves time and again by itself it saves once more while a step waits.
      weight:
        passes.length === 0
          ? refused
            ? REFUSED
            : last.ts - first.ts <= ONE_PRESS_MS
              ? 0.76
              : 0.68
          : isAtIntervals(sent, usual)
            ? 0.5
            : // Of what is refused since it is done the first one was enough.
              refused && isInWay(first, refused, run)
              ? REFUSED
              : isTwin(sent, run, run.facts.normaliser.json)
                ? 0.92
                : 0.8,
      about: `sent ${aboutUrl(first.url, facts, first.operation)}`,
      isTwice: sent.length === 2,
    });
  }
  return findings.slice(-MOST);
}

/** Events of what went out twice that are told. */
const MOST_EVENTS = 20;

/** What went out twice at once time and again, also where it was refused both times, as nothing does in a pass. */
function doubledIn(all: readonly Exchange[], evidence: Evidence, key: string): Finding | null {
  const { run, passes } = evidence;
  const usual = passes.map((pass) => exchangesOf(pass.facts, key));
  const isMore = ({ length }: readonly Exchange[]) => length > 0 && length < all.length;
  if (usual.length === 0 || !usual.every(isMore)) return null;
  const pairs = twinsIn(all, run).filter(([, one]) => isBefore(evidence, one.ts));
  const [first] = pairs;
  if (!first || pairs.length < LEAST_PAIRS || isTracker(first[0].url) || isPolling(first[0])) return null;
  if (usual.some((theirs, at) => twinsIn(theirs, passes[at]!).length > 0)) return null;
  const last = pairs.at(-1)![1];
  const refused = pairs.findLast(([before, one]) => !isRefusedBy(before, run) && isRefusedBy(one, run))?.[1];
  const apart = Math.max(...pairs.map(([before, one]) => one.ts - before.ts));
  return {
    kind: "request_repeated",
    title: `${requestOf(first[0], run.facts)} was sent ${howOften(all.length)}, where the last pass sent it ${howOften(usual[0]!.length)}: ${pairs.length} times it went out twice ${apart < 1 ? "at once" : `within ${lapse(apart)}`}, with the same content${refused ? refusedWith(refused, run) : ""}`,
    detail: null,
    step_id: last.step_id,
    events: pairs.flatMap(([before, one]) => [before.seq, one.seq]).slice(0, MOST_EVENTS),
    ts: last.ts,
    is_new: true,
    weight: REFUSED,
    isTwiceEach: true,
    about: `sent ${aboutUrl(first[0].url, run.facts, first[0].operation)}`,
  };
}

const LEAST_PAIRS = 2;

/** What one press sent twice where in every pass a press sends it once, however often it is pressed: with what came after it a pass may send as many. */
function doubledByPress(all: readonly Exchange[], evidence: Evidence, key: string): Finding | null {
  const { run, passes } = evidence;
  const usual = passes.map((pass) => exchangesOf(pass.facts, key));
  if (usual.length === 0 || usual.some(({ length }) => length < all.length)) return null;
  const [first, second] = sentAgainAtOnce(all, run).at(-1) ?? [];
  if (!first || !second || !isBefore(evidence, second.ts) || isTracker(first.url)) return null;
  if (isFailedExchange(first) || usual.some((theirs, at) => sentAgainAtOnce(theirs, passes[at]!).length > 0))
    return null;
  const press = run.facts.steps.findLast(({ name, ts }) => GESTURES.test(name) && ts <= first.ts);
  if (!press || first.ts - press.end > AT_ONCE_MS) return null;
  const apart = second.ts - first.ts;
  return {
    kind: "request_repeated",
    title: `${requestOf(first, run.facts)} was sent twice ${apart < 1 ? "at once" : `within ${lapse(apart)}`}, with the same content, by one ${quotedStep(press)}; no pass sends it twice so`,
    detail: null,
    step_id: second.step_id,
    events: [first.seq, second.seq],
    ts: second.ts,
    is_new: true,
    weight: REFUSED,
    isTwice: true,
    about: `sent ${aboutUrl(first.url, run.facts, first.operation)}`,
  };
}

/** Writes that went out twice by one press. */
const twinsIn = (all: readonly Exchange[], run: RunEvidence): [Exchange, Exchange][] =>
  all.slice(-MOST_LOOKED_AT).flatMap((one, at, beside): [Exchange, Exchange][] => {
    const before = beside[at - 1];
    return before &&
      isWrite(one, run) &&
      one.type !== "api" &&
      isOfOnePress(before, one, run) &&
      isSameSent(before, one, run, run.facts.normaliser.json)
      ? [[before, one]]
      : [];
  });

const isOfOnePress = (before: Exchange, one: Exchange, { facts }: RunEvidence): boolean =>
  one.ts - before.ts <= ONE_PRESS_MS ||
  (one.ts - before.ts <= AT_ONCE_MS &&
    !facts.steps.some(({ name, ts }) => GESTURES.test(name) && ts > before.ts && ts <= one.ts));

const MOST_LOOKED_AT = 200;

/** Whether a page sends it time and again anyhow: to keep what is written, to stay signed in. */
const isAtIntervals = (sent: Exchange[], usual: number[]) =>
  Math.min(...usual) > 1 &&
  (sent[0]!.method === "PUT" || sent.every((one, at) => at === 0 || one.ts - sent[at - 1]!.ts > AT_ONCE_MS));

/** Whether a request came while an earlier one that went well was under way, or right after that, with the same content and by the same action. */
function isInWay(before: Exchange, one: Exchange, run: RunEvidence): boolean {
  if (isRefusedBy(before, run) || isOfOtherLength(before, one)) return false;
  return (
    (before.end ?? Number.POSITIVE_INFINITY) > one.ts ||
    (one.ts - before.ts <= BY_ITSELF_MS &&
      isSameSent(before, one, run) &&
      !run.facts.steps.some(({ name, ts }) => GESTURES.test(name) && ts > before.ts && ts <= one.ts))
  );
}

/** Whether of two that went out at once a server took the one that was recorded second: the first is refused for it. */
const isTakenFirst = (other: Exchange, one: Exchange, run: RunEvidence): boolean =>
  one.status !== null &&
  !isRefusedBy(other, run) &&
  other.ts - one.ts <= ONE_PRESS_MS &&
  isSameSent(one, other, run);

/** What a page sends again by itself, such as by a timer that runs on, may come so late. */
const BY_ITSELF_MS = 5_000;

/** Whether two requests are known to be sent with different contents, though recorders keep no files. */
function isOfOtherLength(before: Exchange, one: Exchange): boolean {
  const [mine, theirs] = [one, before].map(({ requestHeaders }) =>
    headerOf(requestHeaders, "content-length"),
  );
  return mine !== null && theirs !== null && mine !== theirs;
}

/** Whether what recorders tell of a file that was sent is another one: its length, its type, and what the product says of it in headers of its own. */
const isOfOtherContent = (before: Exchange, one: Exchange): boolean =>
  contentTypeOf(before) !== contentTypeOf(one) ||
  (requestBodyIsUnknown(one) && (isOfOtherLength(before, one) || namedBy(before) !== namedBy(one)));

const requestBodyIsUnknown = ({ requestBody }: Exchange): boolean => requestBody === null;

/** What a request says of a file in headers of the product, such as its name. */
const namedBy = ({ requestHeaders }: Exchange): string =>
  requestHeaders
    .filter(({ name }) => OF_FILE.test(name))
    .map(({ name, value }) => `${name} ${value}`)
    .sort()
    .join("\n");

const OF_FILE = /^x-.{0,40}(?:file|name|part|chunk|offset)/;

function refusedWith(one: Exchange, { bodies }: RunEvidence, isLast = true): string {
  const said = saidIn(bodyOf(one, bodies));
  return said === null ? "" : `; ${isLast ? "the last one" : "one of them"} was refused: ${quoted(said, 80)}`;
}

/** Whether one was broken off right after another had been answered: what the answer led to took the page away. */
const isLeftBehind = (before: Exchange, one: Exchange): boolean =>
  !isFailedExchange(before) && isBrokenOff(one) && one.ts - (before.end ?? before.ts) <= AT_ONCE_MS;

const isBrokenOff = ({ status, error }: Exchange): boolean =>
  status === null && /ABORTED|NS_BINDING|cancell?ed/i.test(error ?? "");

/** Of requests beside a broken one, so many are looked at on either side. */
const MOST_BESIDE = 3;

/** Whether one was under way beside another of the same content, and broken off when that had been answered: so it was sent, and not tried again. */
const isLeftBeside = (one: Exchange, beside: readonly Exchange[], run: RunEvidence): boolean =>
  isBrokenOff(one) &&
  beside.some(
    (other) =>
      other !== one &&
      !isFailedExchange(other) &&
      other.end !== null &&
      one.end !== null &&
      one.end >= other.end &&
      isTwinOf(...(one.ts <= other.ts ? ([one, other] as const) : ([other, one] as const)), run),
  );

/** Servers that know a request by its key take those with two keys for two (RFC draft of the HTTPAPI group, 2.6). */
function keyedApart(sent: readonly Exchange[]): string {
  const keys = sent.map(({ requestHeaders }) => headerOf(requestHeaders, "idempotency-key"));
  return keys.includes(null) || new Set(keys).size < keys.length
    ? ""
    : ", each with an Idempotency-Key of its own";
}

/** That one of them was refused while the first was under way leaves no doubt, also without a pass. */
const REFUSED = 0.95;

/** An address to which all kinds of requests go. */
const isOfMany = (url: string) => /graphql|\/batch|\/log/i.test(url);

type Plain = (body: unknown) => unknown;

/** Whether two of the same content went out at once. @param plain what a body is told by: where passes send but one, two need not have the same ids */
const isTwin = (sent: Exchange[], run: RunEvidence, plain?: Plain) =>
  sent.some((one, at) => at > 0 && isTwinOf(sent[at - 1]!, one, run, plain));

const isTwinOf = (
  before: Exchange,
  one: Exchange,
  run: RunEvidence,
  plain: Plain = (body) => body,
): boolean => one.ts - before.ts <= AT_ONCE_MS && isSameSent(before, one, run, plain);

const isSameSent = (
  before: Exchange,
  one: Exchange,
  run: RunEvidence,
  plain: Plain = (body) => body,
): boolean =>
  !isOfOtherContent(before, one) &&
  JSON.stringify(plain(requestBodyOf(one, run))) === JSON.stringify(plain(requestBodyOf(before, run)));

/**
 * Whether two went out by one press with the same content, but for ids that the page made for each: what no answer had given
 * before is the name of no thing that there is.
 */
const isTwinOfOnePress = (sent: Exchange[], run: RunEvidence): boolean =>
  sent.some((one, at) => {
    const before = sent[at - 1];
    if (!before || one.ts - before.ts > ONE_PRESS_MS) return false;
    const [mine, theirs] = [one, before].map((each) => leavesOf(requestBodyOf(each, run)));
    const apart = mine!.filter(({ value }, place) => value !== theirs![place]?.value);
    const isSame =
      mine!.length === theirs!.length && mine!.every(({ path }, place) => path === theirs![place]!.path);
    const others = new Map(theirs!.map(({ path, value }) => [path, value]));
    return (
      isSame &&
      apart.length > 0 &&
      apart.every(
        ({ path, value }) =>
          isMadeHere(value, before, run) || isEmptied(value) !== isEmptied(others.get(path)),
      )
    );
  });

/** A form that was sent is emptied at once: the second of two is sent without what the first had. */
const isEmptied = (value: unknown): boolean => value === "" || value === null;

/** Whether a value is an id, and stands in no answer that came before. */
const isMadeHere = (value: unknown, { ts }: Exchange, { facts, bodies }: RunEvidence): boolean =>
  typeof value === "string" &&
  RANDOM.test(value) &&
  !facts.exchanges.some((one) => (one.end ?? one.ts) <= ts && (bodyOf(one, bodies) ?? "").includes(value));

/** A UUID, or as many letters and figures in disorder. */
const RANDOM = /^(?=.*\d)(?=.*[a-z])[\w-]{16,64}$/i;

/**
 * Whether an operation of which nothing says that it changes something was answered well once and refused when it was
 * asked again at once: it can be done but once. The text of a stored query is not sent, JSON-RPC has none.
 */
function isDoneOnce(sent: Exchange[], run: RunEvidence): boolean {
  const asked = requestBodyOf(sent[0]!, run);
  if (!isRecord(asked) || typeof asked.query === "string") return false;
  return sent.some((one, at) => at > 0 && isRefusedBy(one, run) && isInWay(sent[at - 1]!, one, run));
}

/**
 * Whether such an operation was answered otherwise the second time, though it was asked the same at once and nothing else was sent
 * meanwhile: then the first one changed what it tells.
 */
function isChanging(sent: Exchange[], run: RunEvidence): boolean {
  const asked = requestBodyOf(sent[0]!, run);
  if (!isRecord(asked) || typeof asked.query === "string") return false;
  const { json } = run.facts.normaliser;
  const answerOf = (one: Exchange) => json(jsonOf(bodyOf(one, run.bodies) ?? "")) ?? null;
  return sent.some((one, at) => {
    const before = sent[at - 1];
    if (!before || !isTwinOf(before, one, run, json) || isRefusedBy(one, run)) return false;
    const isAlone = !run.facts.exchanges.some(
      (other) =>
        CHANGING.has(other.method) &&
        other.ts >= before.ts &&
        other.ts <= one.ts &&
        other !== before &&
        other !== one,
    );
    const [mine, theirs] = [one, before].map(answerOf);
    return isAlone && mine !== null && theirs !== null && !isDeepStrictEqual(mine, theirs);
  });
}
