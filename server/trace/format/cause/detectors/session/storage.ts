import { toIso } from "../../../../../platform/clock.ts";
import { isBefore } from "../../compare.ts";
import { endedTooSoon } from "../../exchanges/cookie-terms.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { credentialsOf, isWhole } from "../../exchanges/sent-credentials.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts, Stored } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lengthOf } from "../../values/spans.ts";
import { headerOf, isForeign, quoted, requestOf } from "../../words.ts";
import { cookiesOf } from "../answers/headers.ts";

const MOST = 10;

/** Cookies, tokens and entries of the storage that the passes had and this run had no more. */
export function detectStorage(evidence: Evidence): Finding[] {
  return [...notKept(evidence), ...cleared(evidence), ...expired(evidence)].slice(0, MOST);
}

export const isAway = ({ status }: Exchange) =>
  status !== null && status >= 300 && status < 400 && status !== 304;

/** Cookies that an answer set and the browser did not keep: no later request carried them, as those of every pass do. */
function notKept(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const told = new Set<string>();
  return run.facts.exchanges.flatMap((one) =>
    setBy(one).flatMap((name): Finding[] => {
      if (told.has(name) || !isBefore(evidence, one.end ?? one.ts)) return [];
      told.add(name);
      const terms = String(cookiesOf(one).get(name));
      let isSetAlike = true;
      const carried = passes.map(({ facts }) => {
        const setter = facts.exchanges.find((other) => setBy(other).includes(name));
        isSetAlike &&= setter !== undefined && String(cookiesOf(setter).get(name)) === terms;
        return setter === undefined ? [] : laterCookies(facts, setter, name).filter(({ has }) => has);
      });
      const isKept = carried.every((list) => list.length > 0);
      // A cookie of a path goes along with requests to that path alone.
      const carriers = new Set(carried.flat().map(({ key }) => key));
      const sent = laterCookies(run.facts, one, name).filter(({ key }) => carriers.has(key));
      if (sent.length === 0 || !isKept) return [];
      if (isCarried(run.facts, one, name) || isRefusedAnew(evidence, one, name)) return [];
      return [
        {
          kind: "storage",
          title: `The browser did not keep the cookie ${quoted(name, 60)} that ${requestOf(one, run.facts)} sets: no later request carried it, as they do in the last pass`,
          detail: attributesOf(one, name),
          step_id: one.step_id,
          events: [one.seq],
          // It matters where it lacks.
          ts: Math.min(evidence.failed.to, sent.at(-1)!.ts),
          is_new: true,
          // Terms that it was set by otherwise say why.
          weight: isSetAlike ? 0.98 : 0.96,
          about: `cookie ${name}`,
        },
      ];
    }),
  );
}

/** Whether any later request carried a cookie, however little is known of its headers. */
const isCarried = ({ exchanges }: RunFacts, one: Exchange, name: string): boolean =>
  exchanges.some((later) => later.ts > (one.end ?? one.ts) && credentialsOf(later).has(name));

/** Whether another client was to be given the cookie later on, as in every pass, and was refused: who signs a test's set-up in does not sign its page in. */
const isRefusedAnew = ({ run, passes }: Evidence, one: Exchange, name: string): boolean =>
  run.facts.exchanges.some(
    (later) =>
      later.ts > one.ts &&
      CHANGING.has(later.method) &&
      isFailedExchange(later) &&
      passes.every(({ facts }) =>
        exchangesOf(facts, exchangeKey(later, run.facts)).some(
          (other) => setBy(other).includes(name) && isWhole(other) && !credentialsOf(other).has(name),
        ),
      ),
  );

/** Names of the cookies that an answer sets, and does not end. */
export function setBy(one: Exchange): string[] {
  const ended = endedBy(one);
  return one.headers.flatMap(({ name, value }) => {
    const cookie = name === "set-cookie" ? /^([^=;\s]+)=/.exec(value)?.[1] : undefined;
    return cookie && !ended.includes(cookie) ? [cookie] : [];
  });
}

/** Of each later request to that host whose headers are known as a whole: whether it carried the cookie. */
export function laterCookies(
  facts: RunFacts,
  one: Exchange,
  name: string,
): { key: string; ts: number; has: boolean }[] {
  const host = URL.parse(one.url)?.host;
  return facts.exchanges
    .filter(
      (later) => later.ts > (one.end ?? one.ts) && isWhole(later) && URL.parse(later.url)?.host === host,
    )
    .map((later) => ({ key: exchangeKey(later, facts), ts: later.ts, has: credentialsOf(later).has(name) }));
}

/** What the answer says of the cookie beside its value: its domain, path and life. */
export function attributesOf({ headers }: Exchange, cookie: string): string | null {
  const set = headers.find(({ name, value }) => name === "set-cookie" && value.startsWith(`${cookie}=`));
  const [, ...attributes] = set?.value.split(";") ?? [];
  return attributes.length === 0 ? null : `It was set with${attributes.join(";")}.`;
}

/** Cookies that an answer took away. */
function cleared(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const inPasses = new Set(passes.flatMap(({ facts }) => facts.exchanges.flatMap((one) => endedBy(one))));
  return run.facts.exchanges
    .filter((one) => isBefore(evidence, one.end ?? one.ts))
    .flatMap((one) =>
      endedBy(one)
        .filter((name) => !ONCE.test(name) && !isSetAfter(evidence, name, one))
        .map((name) => ({
          kind: "storage" as const,
          title: `${requestOf(one, run.facts)} ${saidTooSoon(one, [name]) ?? `took the cookie ${quoted(name, 60)} away`}`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: one.end ?? one.ts,
          is_new: passes.length === 0 ? null : !inPasses.has(name),
          ...(saidTooSoon(one, [name]) !== null && { about: `cookie ${name}` }),
          // Whom the test itself signs out, it means to be a guest.
          weight: passes.length === 0 && one.type === "api" ? 0.3 : isOfSession(name) ? 0.85 : 0.6,
        })),
    );
}

/** Whether somebody signed in again before the step gave up. */
const isSetAfter = ({ run, failed }: Evidence, cookie: string, { ts }: Exchange): boolean =>
  run.facts.exchanges.some(
    (one) =>
      one.ts > ts &&
      (one.end ?? one.ts) < failed.from &&
      !endedBy(one).includes(cookie) &&
      one.headers.some(({ name, value }) => name === "set-cookie" && value.startsWith(`${cookie}=`)),
  );

/** What is said once, on the page that comes next, is taken away by it. */
const ONCE = /flash|toast|notice|message/i;

/** The names of the cookies that an answer takes away. */
export function endedBy({ headers, end, ts }: Exchange): string[] {
  return headers.flatMap(({ name, value }) => {
    if (name !== "set-cookie") return [];
    const cookie = /^([^=;\s]+)=/.exec(value)?.[1];
    const expires = Date.parse(/;\s*expires=([^;]+)/i.exec(value)?.[1] ?? "");
    const isOver =
      /;\s*max-age=(?:0|-\d+)\b/i.test(value) || (Number.isFinite(expires) && expires < (end ?? ts));
    return cookie && isOver ? [cookie] : [];
  });
}

/** That cookies came with a value and had ended before they came, as what follows the request; null where they were just taken away. */
export function saidTooSoon(one: Exchange, names: readonly string[]): string | null {
  const ended = endedTooSoon(one).filter(({ name }) => names.includes(name));
  const [first] = ended;
  if (!first || ended.length < names.length) return null;
  const [many, they] = names.length > 1 ? ["s", "they"] : ["", "it"];
  const words = names.slice(0, 2).map((name) => quoted(name, 60));
  return `set the cookie${many} ${words.join(" and ")} to end ${lengthOf(first.by)} before ${they} came (Expires=${first.expires}), by a clock that is behind or by a wrong reckoning: browsers keep no such cookie`;
}

/** Names that those who count visitors give their cookies, some of which speak of sessions and users too. */
const COUNTS_VISITORS =
  /^_(?:ga|gid|gat|gcl|hj|fbp|uetsid|uetvid|pk|cl)|^__cf|^(?:ajs|amplitude|intercom|mp)[_-]/i;

/** Whether a cookie is, by its name, what a user is known by. */
const isOfSession = (name: string): boolean =>
  /sess|sid|auth|token|login|user/i.test(name) && !COUNTS_VISITORS.test(name);

/** Cookies of the state that a test began with which had ended by then, and entries that the passes began with. */
function expired(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const first = run.facts.stored[0];
  if (!first) return [];
  const begun = passes.flatMap(({ facts }) => facts.stored.slice(0, 1).map((stored) => ({ facts, stored })));
  const hasEndedInPass = ({ name, domain }: StoredCookie) =>
    begun.some(({ facts, stored }) =>
      stored.cookies.some(
        (other) => other.name === name && other.domain === domain && hasEnded(other, facts.lastTs),
      ),
    );
  const base = { detail: null, step_id: first.step_id, events: [first.seq], ts: null };
  const over = first.cookies
    .filter((cookie) => hasEnded(cookie, endOf(run.facts, evidence)) && !isOfOthers(cookie, run.facts))
    .map((cookie) => ({
      ...base,
      kind: "storage" as const,
      title: `The stored cookie ${quoted(cookie.name, 60)} had ended${cookie.expires ? ` at ${isoOf(cookie.expires)}` : ""}, before the step that failed`,
      is_new: begun.length === 0 ? null : !hasEndedInPass(cookie),
      weight: isOfSession(cookie.name) ? 0.93 : 0.5,
    }));
  const theirs = begun.map(({ stored }) => stored);
  if (theirs.length === 0) return over;
  const lost = (mine: string[], all: string[][]) =>
    all[0]!.filter((name) => all.every((list) => list.includes(name)) && !mine.includes(name));
  const keys = lost(
    first.keys,
    theirs.map(({ keys: list }) => list),
  ).map((key) => `the stored entry ${quoted(key, 80)}`);
  const cookies = lost(
    first.cookies.map(({ name }) => name),
    theirs.map(({ cookies: list }) => list.map(({ name }) => name)),
  ).map((name) => `the cookie ${quoted(name, 60)}`);
  return [
    ...over,
    ...[...cookies, ...keys].map((what) => ({
      ...base,
      kind: "storage" as const,
      title: `The run began without ${what}, which the passes began with`,
      is_new: true,
      weight: 0.8,
    })),
  ];
}

type StoredCookie = Stored["cookies"][number];

/** Whether a cookie with an end had reached it by then (epoch ms). */
const hasEnded = ({ expires }: StoredCookie, by: number): boolean =>
  expires !== null && expires > 0 && expires * 1_000 < by;

/** A cookie's domain may begin with a dot, and is of its hosts all the same. */
const isOfOthers = ({ domain }: StoredCookie, facts: RunFacts): boolean =>
  isForeign(`http://${domain.replace(/^\./, "")}`, facts);

const endOf = ({ lastTs }: RunFacts, { failed }: Evidence) => Math.min(failed.to, lastTs);

function isoOf(seconds: number): string {
  const ms = seconds * 1_000;
  return Math.abs(ms) < 8.64e15 ? `${toIso(Math.round(ms)).slice(0, 16)}Z` : "an unknown time";
}

/** The languages that the browser asked for; null when no request tells. */
export function languageOf({ exchanges }: RunFacts): string | null {
  for (const { requestHeaders } of exchanges) {
    const value = headerOf(requestHeaders, "accept-language");
    if (value) return value;
  }
  return null;
}
