import { isHeartbeat } from "../../alone/beside.ts";
import { isReport } from "../../alone/requests/reports.ts";
import { isBefore, isNew } from "../../compare.ts";
import { ADDED, isAddedScript } from "../../exchanges/added-script.ts";
import { sentOtherwise } from "../../exchanges/other-sent.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { askedIn, CHANGING } from "../../exchanges/sent.ts";
import { credentialsOf, isWhole } from "../../exchanges/sent-credentials.ts";
import { oncePer } from "../../once.ts";
import { isFill } from "../../page/field-values.ts";
import { hasOutlived, isCutOff, isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { CauseKind, Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, isTracker, lapse, requestOf } from "../../words.ts";
import { bringsNothing } from "./brings-nothing.ts";
import { despiteToken } from "./despite-token.ts";
import { letThrough } from "./let-through.ts";
import { livedWith } from "./lived-with.ts";
import { setByItself } from "./own-cookie.ts";
import { sentAs } from "./sent-as.ts";

/** Requests that were refused, failed or answered with an error. */
export function detectFailedRequests(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const failed = run.facts.exchanges.filter(
    (one) =>
      isFailedExchange(one) &&
      // Sockets are told of as such, and what was still open when the step gave up.
      one.type !== "websocket" &&
      !hasOutlived(one, evidence.failed) &&
      isBefore(evidence, one.end ?? one.ts) &&
      !/\/favicon\.ico(?:\?|$)/.test(one.url),
  );
  return failed.slice(-500).map((one) => findingOf(evidence, one));
}

function findingOf(evidence: Evidence, one: Exchange): Finding {
  const { run } = evidence;
  const { facts } = run;
  const said = saidIn(bodyOf(one, run.bodies));
  const outcome = isCutOff(one)
    ? `was answered with ${one.status}, but the answer was cut off: ${wordsFor(one.error ?? "")}`
    : one.status === null
      ? `failed: ${wordsFor(one.error ?? "")}`
      : `was answered with ${one.status}${said ? `: ${said}` : one.statusText ? ` ${one.statusText}` : ""}`;
  const kind = kindOf(one);
  const file = kind !== "script_failed" ? undefined : one.type === "stylesheet" ? "style sheet" : "script";
  const key = exchangeKey(one, facts);
  const isTakenBack = isRefusal(one) && wasAnswered(evidence.run, one, key);
  const despite = despiteToken(run, one);
  const isIdle = bringsNothing(evidence, one) || isReport(run, one);
  const asked = wordsOf(run, one);
  const turn = CHANGING.has(one.method)
    ? exchangesOf(facts, key)
        .filter((other) => wordsOf(run, other) === asked)
        .indexOf(one)
    : -1;
  const is_new = isNew(evidence, (pass) => hasSame(pass, one, key, { isTakenBack, asked, turn }));
  const taken = is_new === true ? letThrough(evidence, one) : "";
  return {
    kind,
    title: `${file ? `The ${file} ` : ""}${requestOf(one, facts)}${sentOtherwise(evidence, one) || sentAs(evidence, one)} ${despite === "" && taken === "" ? outcome : outcome.replace(/\.$/, "")}${isTakenBack ? setByItself(one, key, facts) || ", though it had been answered before" : takenBefore(run, one)}${despite}${taken}`,
    detail: [byTest(one), passed(evidence, one)].filter((line) => line !== "").join(" ") || null,
    step_id: one.step_id,
    events: one.requestSeq !== null && one.requestSeq !== one.seq ? [one.seq, one.requestSeq] : [one.seq],
    ts: one.end ?? one.ts,
    is_new,
    // What a person sent counts more than what a page fetches beside.
    weight:
      (isMadeUpFor(evidence, one, key) ? RETRIED : 1) *
      (isIdle ? IDLE : 1) *
      livedWith(evidence, one) *
      (isAddedScript(evidence, one) ? ADDED : 1) *
      weightOf(one, kind) *
      (isForeign(one.url, facts) ? FOREIGN : 1) *
      (kind === "script_failed" && URL.parse(one.url)?.host !== facts.authority ? ELSEWHERE : 1) *
      (CHANGING.has(one.method) ? 1.03 : 1),
    about: aboutUrl(one.url, facts, one.operation),
    isOwn: !isTracker(one.url) && !isIdle,
    ...(file && { file }),
    ...(one.status !== null && { status: one.status }),
  };
}

/** Whether a pass met the same outcome at that address; of a refusal that came after answers, whether it came so there too. */
function hasSame(
  pass: RunEvidence,
  one: Exchange,
  key: string,
  { isTakenBack, asked, turn }: { isTakenBack: boolean; asked: string; turn: number },
): boolean {
  const { status, error } = one;
  const all = exchangesOf(pass.facts, key);
  // What is refused for one thing is no news of it, and says nothing of another; a server that fails does so whatever it is asked.
  const isRefused = status !== null && status < 500;
  const exact = asked === "" || !isRefused ? [] : all.filter((other) => wordsOf(pass, other) === asked);
  // A wrong secret is sent in the same words as the right one, which goes well: the one after the other.
  const isTried = exact.some(isFailedExchange) && !exact.every(isFailedExchange);
  const inTurn = isTried ? exact[turn] : undefined;
  return (inTurn ? [inTurn] : exact.length > 0 ? exact : all).some(
    (other) =>
      isFailedExchange(other) &&
      (status === null ? other.status === null && other.error === error : other.status === status) &&
      (!isTakenBack || (wasAnswered(pass, other, key) && !isLessKnown(other, one))),
  );
}

/** Whether a request had not what the other one was known by: who has signed out is refused for want of it. */
const isLessKnown = (other: Exchange, one: Exchange): boolean => {
  const known = credentialsOf(other);
  return isWhole(other) && [...credentialsOf(one)].some((name) => !known.has(name));
};

const wordsOf = oncePer((run: RunEvidence, one: Exchange) => askedIn(one, run));

const isRefusal = ({ status }: Exchange) => status === 401 || status === 403;

/** Whether the same was asked and answered before: who is refused then was let in and is no more. */
function wasAnswered({ facts }: RunEvidence, one: Exchange, key: string): boolean {
  return exchangesOf(facts, key).some(
    (other) => other.ts < one.ts && other.status !== null && !isFailedExchange(other),
  );
}

/** That the very token that was refused had been taken before, as a clause; empty where nothing says so. */
function takenBefore(run: RunEvidence, one: Exchange): string {
  const token = one.status === 401 ? tokenOf(one) : null;
  const before =
    token === null
      ? undefined
      : tokensTaken(run, "tokens")
          .get(token)
          ?.findLast(({ end }) => end! <= one.ts);
  return before
    ? `, though its token had been taken ${lapse(one.ts - before.end!)} before (${requestOf(before, run.facts)})`
    : "";
}

/** The token that a request was sent with, by the host that it was sent to; null where it had none. */
function tokenOf({ url, requestHeaders }: Exchange): string | null {
  const token = headerOf(requestHeaders, "authorization");
  return token === null ? null : `${URL.parse(url)?.host} ${token}`;
}

/** What went well with each token. */
const tokensTaken = oncePer(({ facts }: RunEvidence, _: "tokens") => {
  const taken = new Map<string, Exchange[]>();
  for (const one of facts.exchanges) {
    const token = one.end !== null && one.status !== null && !isFailedExchange(one) ? tokenOf(one) : null;
    if (token === null) continue;
    const same = taken.get(token);
    if (same) same.push(one);
    else taken.set(token, [one]);
  }
  return taken;
});

/** Without a pass: whether a read that the server could not answer, or what it refused until a person had filled in something else, was asked for again and answered well before the step gave up. */
const isMadeUpFor = (
  { run, passes, failed }: Evidence,
  { method, url, status, ts }: Exchange,
  key: string,
): boolean =>
  passes.length === 0 &&
  (method === "GET" ? (status ?? 0) >= 500 : CHANGING.has(method) && REFUSED.has(status ?? 0)) &&
  exchangesOf(run.facts, key).some(
    (other) =>
      other.url === url &&
      other.ts > ts &&
      other.end !== null &&
      other.end < failed.to &&
      other.status !== null &&
      other.status < 400 &&
      (method === "GET" ||
        run.facts.steps.some((step) => isFill(step) && step.ts > ts && step.end <= other.ts)),
  );

const RETRIED = 0.4;
/** What was sent is to be corrected. */
const REFUSED = new Set([400, 422]);

/** Of a request that brings the page nothing, where it succeeds. */
const IDLE = 0.4;

/** What another site does breaks less of this one. */
const FOREIGN = 0.92;

function kindOf({ type, error, status }: Exchange): CauseKind {
  if (
    status === null &&
    /BLOCKED_BY|CERT|SSL|csp|mixed|ORB|blocked/i.test(error ?? "") &&
    !/BLOCKED_BY_CLIENT/.test(error ?? "")
  )
    return "browser_policy";
  return type === "script" || type === "stylesheet" ? "script_failed" : "request_failed";
}

/** Of scripts that did not load together the product's own comes before what it has from another server. */
const ELSEWHERE = 0.99;

function weightOf({ type, status, error, url }: Exchange, kind: CauseKind): number {
  if (/ABORTED|aborted|NS_BINDING|cancell?ed/i.test(error ?? "") && status === null)
    return type === "document" ? 0.35 : 0.2;
  // It only asks whether somebody is there.
  if (isTracker(url) || isHeartbeat(url)) return 0.4;
  if (kind === "script_failed") return type === "script" ? 0.94 : 0.7;
  if (kind === "browser_policy") return 0.93;
  if (type !== null && /^(?:image|font|media|ping|beacon|manifest|texttrack)$/.test(type)) return 0.4;
  if (status === null || status < 400 || status >= 500) return 0.93;
  if (status === 401 || status === 403) return 0.91;
  return status === 404 && type === "document" ? 0.92 : 0.88;
}

const WORDS: [RegExp, string][] = [
  [/CONTENT_LENGTH_MISMATCH/, "fewer bytes came than its Content-Length says"],
  [/INCOMPLETE_CHUNKED/, "the connection ended before its last part"],
  [/ERR_CONNECTION_REFUSED/, "nobody listened there (connection refused)"],
  [/ERR_NAME_NOT_RESOLVED/, "the host's name is not known"],
  [/ERR_INTERNET_DISCONNECTED/, "the browser was offline"],
  [/ERR_CONNECTION_RESET|ECONNRESET/, "the connection was reset"],
  [/ERR_EMPTY_RESPONSE/, "the server closed the connection without an answer"],
  [/TIMED_OUT|ETIMEDOUT/, "the connection timed out"],
  [/CERT|SSL/, "the certificate was refused"],
  [/BLOCKED_BY_CSP|^csp$/, "the page's Content-Security-Policy forbids it"],
  [/BLOCKED_BY_ORB|BLOCKED_BY_RESPONSE/, "the browser blocked the answer"],
  [/TOO_MANY_REDIRECTS/, "it was redirected in a circle"],
];

/** An engine's name of a network error with what it means. */
export function wordsFor(error: string): string {
  const [, words] = WORDS.find(([pattern]) => pattern.test(error)) ?? [];
  return words
    ? `${words}${error.includes("ERR_") ? ` (${error.replace(/^.*(net::ERR_\w+).*$/s, "$1")})` : ""}`
    : error || "no answer came";
}

/** What a test did to a request by a route of its own, as the detail of a finding tells it. */
const BY_TEST: Record<string, string> = {
  fulfilled: "The test itself gave this answer.",
  aborted: "The test itself ended this request.",
};

const byTest = ({ handled }: Exchange): string => BY_TEST[handled ?? ""] ?? "";

/** Whether a finding is of a request that never reached the server, since the test itself answered or ended it. */
export const isMadeByTest = ({ detail }: Pick<Finding, "detail">): boolean =>
  detail !== null && Object.values(BY_TEST).some((sentence) => detail.startsWith(sentence));

function passed({ run, passes }: Evidence, one: Exchange): string {
  const before = passes[0] && ofSameTurn(one, run.facts, passes[0].facts);
  return before?.status == null || before.status === one.status ? "" : `The last pass got ${before.status}.`;
}
