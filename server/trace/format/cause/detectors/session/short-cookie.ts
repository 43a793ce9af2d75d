import { cookieNames, cookiePath, hasRawHeaders, isSentTo } from "../../exchanges/cookie-terms.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { lengthOf } from "../../values/spans.ts";
import { bodyOf, headerOf, quoted, requestOf } from "../../words.ts";
import { cookiesOf } from "../answers/headers.ts";

const MOST = 200;
const TIMES_SHORTER = 10;

/** A cookie that is set for a shorter while than in every pass, and had ended when the next request needed it. */
export function detectShortCookie(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  const setters = answersBefore(evidence, MOST, ({ headers }) => headerOf(headers, "set-cookie") !== null);
  for (const one of setters)
    for (const [name, life] of livesOf(one)) {
      const usual = usualOf(evidence, one, name);
      if (usual === null || usual.ms < TIMES_SHORTER * life.ms) continue;
      const finding = findingOf(evidence, { one, name, life, usual });
      if (finding) return [finding];
    }
  return [];
}

/** For how long a cookie is kept: ms, and the term that says so. Without one it ends with the browser. */
export interface Life {
  ms: number;
  term: string | null;
}

/** Max-Age goes before Expires (RFC 6265, 5.3), which is told by the clock of the server. */
export function livesOf({ headers, end, ts }: Exchange): Map<string, Life> {
  const lives = new Map<string, Life>();
  const now = Date.parse(headerOf(headers, "date") ?? "") || (end ?? ts);
  for (const { name, value } of headers) {
    const cookie = name === "set-cookie" ? /^([^=;\s]+)=/.exec(value)?.[1] : undefined;
    if (cookie === undefined) continue;
    const age = /;\s*max-age=(\d{1,12})\b/i.exec(value);
    const expires = /;\s*expires=([^;]{1,60})/i.exec(value);
    const until = Date.parse(expires?.[1] ?? "");
    const life: Life = age
      ? { ms: Number(age[1]) * 1_000, term: `Max-Age=${age[1]}` }
      : Number.isFinite(until)
        ? { ms: until - now, term: `Expires=${expires![1]!.trim()}` }
        : { ms: Number.POSITIVE_INFINITY, term: null };
    // What is taken away is told as such.
    if (life.ms > 0) lives.set(cookie, life);
  }
  return lives;
}

/** The shortest life that passes give the cookie; null where one of them does not set it so. */
function usualOf({ run, passes }: Evidence, one: Exchange, name: string): Life | null {
  const key = exchangeKey(one, run.facts);
  const all = passes.map(({ facts }) =>
    exchangesOf(facts, key).flatMap((other) => livesOf(other).get(name) ?? []),
  );
  return all.some((lives) => lives.length === 0)
    ? null
    : all.flat().reduce((least, life) => (life.ms < least.ms ? life : least));
}

interface Short {
  one: Exchange;
  name: string;
  life: Life;
  usual: Life;
}

function findingOf(evidence: Evidence, { one, name, life, usual }: Short): Finding | null {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const came = one.end ?? one.ts;
  const path = cookiePath(cookiesOf(one).get(name) ?? [], one);
  const host = URL.parse(one.url)?.host;
  const isUsual = (later: Exchange, is: (other: Exchange) => boolean) =>
    passes.every((pass) => exchangesOf(pass.facts, exchangeKey(later, facts)).some(is));
  const without = facts.exchanges.find(
    (later) =>
      later.ts >= came + life.ms &&
      later.ts <= failed.to &&
      URL.parse(later.url)?.host === host &&
      isSentTo(later.url, path) &&
      hasRawHeaders(later) &&
      !cookieNames(later).has(name) &&
      isUsual(later, (other) => cookieNames(other).has(name)),
  );
  if (!without) return null;
  const refused = facts.exchanges.find(
    (later) =>
      later.ts >= without.ts &&
      later.ts <= failed.to &&
      later.status !== null &&
      URL.parse(later.url)?.host === host &&
      isFailedExchange(later) &&
      !passes.some((pass) => exchangesOf(pass.facts, exchangeKey(later, facts)).some(isFailedExchange)),
  );
  return {
    kind: "storage",
    title: `${requestOf(one, facts)} sets the cookie ${quoted(name, 60)} with ${life.term}, where the last pass has ${usual.term ?? "no end for it"}: ${lengthOf(without.ts - came)} later ${requestOf(without, facts)} came without it${refused ? outcomeOf(refused, without, run) : ""}`,
    detail: null,
    step_id: without.step_id,
    events: [one.seq, without.seq, ...(refused ? [refused.seq] : [])],
    ts: Math.max(without.ts, failed.from),
    is_new: true,
    weight: 0.985,
    about: `cookie ${name}`,
  };
}

function outcomeOf(refused: Exchange, without: Exchange, { facts, bodies }: RunEvidence): string {
  const said = saidIn(bodyOf(refused, bodies));
  const who = refused === without ? "" : ` ${requestOf(refused, facts)}`;
  return ` and${who} was refused with ${refused.status}${said === null ? "" : `, ${quoted(said, 80)}`}`;
}
