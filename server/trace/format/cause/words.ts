import { cut, oneLine } from "../error-text.ts";
import { SECRET_NAMES } from "../secret-names.ts";
import { shortTitle } from "../step-words.ts";
import { recently } from "./once.ts";
import type { Exchange, RunFacts } from "./run/run-facts.ts";

const ADDRESS = 120;
/** A query that is longer is not told with its address. */
export const LONGEST_QUERY = 40;
const SECRET_PARAMETERS = new RegExp(`(?<=[?&](?:${SECRET_NAMES})=)[^&]+`, "gi");

/**
 * How an address is told: the path on the site under test, host and path elsewhere, with a short query. Causes go where traces do not
 * (alerts, pull requests): what a parameter holds that goes by the name of a secret is left out.
 */
export function addressOf(url: string, { authority }: Pick<RunFacts, "authority">): string {
  const parsed = URL.parse(url);
  if (!parsed) return cut(oneLine(url), ADDRESS);
  if (/^(?:data|blob|about|file):$/.test(parsed.protocol)) return cut(oneLine(url), 60);
  const query = parsed.search.replace(SECRET_PARAMETERS, "…");
  const path = `${parsed.pathname}${query.length <= LONGEST_QUERY ? query : ""}`;
  return cut(oneLine(parsed.host === authority ? path : `${parsed.host}${path}`), ADDRESS);
}

/** `POST /api/checkout`, `POST /graphql (MoveCard)` */
export function requestOf({ method, url, operation }: Exchange, facts: RunFacts): string {
  return `${/^[A-Z]{1,16}$/.test(method) ? method : "GET"} ${addressOf(url, facts)}${operation === null ? "" : ` (${operation})`}`;
}

/** What a finding about an address is about. */
export function aboutUrl(url: string, { normaliser }: RunFacts, operation: string | null = null): string {
  return `url ${normaliser.url(url)}${operation === null ? "" : ` ${operation}`}`;
}

/** An address up to its query. */
export const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0]!;

/** The path of an address; the address itself where it is none. */
export const pathOf = recently((url: string): string => URL.parse(url)?.pathname ?? url);

/** Captured words in curly quotes that nothing in them can close. */
export function quoted(text: string, max = 160): string {
  return `“${cut(oneLine(text).replace(/[“”]/g, '"'), max)}”`;
}

const MOST_OF_STEP = 120;

/** The title of a step in curly quotes: whole locators, so that they can be told in words. */
export const quotedStep = ({ title }: { title: string }): string =>
  quoted(shortTitle(oneLine(title), MOST_OF_STEP), MOST_OF_STEP);

/** A value as assertions print it, without its quotes. */
export const bareOf = (text: string): string => oneLine(text).replace(/^["'`]|["'`]$/g, "");

/** Characters of a text that are told, and of them those that stand before the place in which two texts part. */
const TOLD = 60;
const BEFORE_PARTING = 20;
const SHORTEST_BEFORE = 8;

/** Two texts that begin alike for longer than is told of them, from shortly before they part; other values as they are. */
export function partingOf<Value>(now: Value, before: Value): [Value | string, Value | string] {
  if (typeof now !== "string" || typeof before !== "string") return [now, before];
  let at = 0;
  while (at < now.length && now[at] === before[at]) at++;
  if (at < TOLD - BEFORE_PARTING) return [now, before];
  // From the beginning of a word, where one begins there.
  const from = at - BEFORE_PARTING;
  const space = now.indexOf(" ", from - 1);
  const begin = space >= 0 && space < at - SHORTEST_BEFORE ? space + 1 : from;
  return [`…${now.slice(begin)}`, `…${before.slice(begin)}`];
}

/** A title as it stands in another one. */
export const titleWithin = (title: string): string => title.replace(/^The /, "the ");

/** How often something was done, in words. */
export const howOften = (count: number): string =>
  count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;

/** A span of time as a person says it. */
export function lapse(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 120_000) return `${(Math.round(ms / 100) / 10).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

const TRACKERS =
  /(?:^|[./-])(?:analytics|telemetry|tracking|tracker|beacon|metrics|collect|doubleclick|googletagmanager|google-analytics|segment|sentry|hotjar|mixpanel|amplitude|datadog|newrelic|rum|pixel|stats|clarity|intercom|gtm|fullstory|bugsnag|posthog|ads?)(?:[./?-]|$)/i;

/** A part of a path that is an id; the version of an interface is none. */
const IS_ID = /^(?!v\d)(?=[\w-]*\d)[\w-]{3,}$/i;

/** Whether a path has an id before its last part. */
function isPathOfOneThing(path: string): boolean {
  const parts = path.split("/");
  const from = Math.max(1, parts.lastIndexOf("") + 1);
  return parts.slice(from, -1).some((part) => IS_ID.test(part));
}

/** Whether an address is of what belongs to one thing, or is done with it. */
export const isOfOneThing = (url: string): boolean => isPathOfOneThing(pathOf(url));

/** Whether an address is one that only counts or watches: what happens to it breaks no page. */
export const isTracker = recently((url: string): boolean => {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  // What is done with one thing of the product may go by such a word, too: `/orders/7f3a/collect`.
  return TRACKERS.test(
    isPathOfOneThing(parsed.pathname) ? parsed.hostname : `${parsed.hostname}${parsed.pathname}`,
  );
});

/** Whether an address is of another site than the one under test: hosts of one domain are one site. */
export function isForeign(url: string, { host }: Pick<RunFacts, "host">): boolean {
  const other = URL.parse(url)?.hostname;
  if (host === null || !other || other === host) return false;
  return familyOf(other) !== familyOf(host);
}

/** What a host and others of its domain have in common. */
export function familyOf(host: string): string {
  if (LOOPBACK.test(host)) return "localhost";
  return /^[\d.]+$|^\[/.test(host) ? host : host.split(".").slice(-2).join(".");
}

/** One machine by its names (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What addresses of signing in are called. */
export const SIGN_IN = /log-?in|sign-?in|auth|sso|session/i;

/** Words by which pages object to something, or tell that it went wrong. */
export const TROUBLE =
  /\b(?:errors?|failed|failure|invalid|expired?|denied|forbidden|unavailable|not (?:found|available|allowed|enough|valid|authori[sz]ed)|unable|cannot|can['’]t|could ?n['’]?o?t|went wrong|try again|required|must|please (?:enter|sign|log|choose|select|fill|check)|too (?:many|long|short)|out of stock|sold out|maintenance|offline|timed? ?out|declined|rejected|limit(?: reached|ed)?|exceeded|unauthori[sz]ed|blocked|conflict|already|missing|no (?:results|items|longer)|crashed|oops|sorry|warning|at (?:most|least)|characters)\b/i;

/** What scripts write where they have no value. */
export const NOTHING = /(?<![\p{L}\p{N}])(?:undefined|NaN|\[object Object\]|Invalid Date)(?![\p{L}\p{N}])/u;

/** The text of an answer, as far as it is known. */
export function bodyOf({ seq, body }: Exchange, bodies: Map<number, string>): string | undefined {
  return bodies.get(seq) ?? (body !== null && !body.startsWith("sha256:") ? body : undefined);
}

/** The value of a header by its lower-case name. */
export function headerOf(headers: Exchange["headers"], name: string): string | null {
  return headers.find((one) => one.name === name)?.value ?? null;
}

/** Browsers ask so for the script of a service worker, and for no other (Service Workers, 4.3). */
export const isWorkerScript = ({ requestHeaders }: Pick<Exchange, "requestHeaders">): boolean =>
  headerOf(requestHeaders, "service-worker") === "script";

/** Whether a text goes on after a word: two letters or more, and white space behind them. */
export const hasSeveralWords = (text: string): boolean =>
  text
    .split(/\s+/)
    .slice(0, -1)
    .some((word) => /\p{L}{2}/u.test(word));
