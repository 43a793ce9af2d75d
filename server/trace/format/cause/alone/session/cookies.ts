import { cookiesOf, isRefused } from "../../detectors/answers/headers.ts";
import {
  cookieNames,
  cookiePath,
  endedTooSoon,
  FOR_RENEWAL,
  hasRawHeaders,
  isSentTo,
  namesPath,
} from "../../exchanges/cookie-terms.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, headerOf, isForeign, lapse, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { isRefusedBy } from "../requests/refused.ts";
import { OF_SESSIONS, otherDomain } from "./other-domain.ts";
import { asksToSignIn } from "./sign-in.ts";

const MOST = 200;

/** A cookie that was set and that a later request, which was refused or sent to the sign-in, came without, by the terms it was set under. */
export function detectLostCookie(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const refused =
    run.facts.exchanges.findLast(
      (one) =>
        one.ts <= failed.to &&
        one.requestHeaders.length > 0 &&
        isTurnedAway(one, run) &&
        !isForeign(one.url, run.facts),
    ) ?? ledInVain(evidence);
  if (!refused) return [];
  const carried = cookieNames(refused);
  for (const one of answersBefore(
    evidence,
    MOST,
    ({ ts, url }) => ts < refused.ts && isSameHost(url, refused.url),
  ).toReversed())
    for (const [name, terms] of cookiesOf(one)) {
      if (carried.has(name)) continue;
      const isCarried = isEverCarried(evidence, name);
      const why =
        whyLost(terms, one, refused, isCarried, run) ??
        (isCarried || !hasRawHeaders(refused) || !isSentTo(refused.url, cookiePath(terms, one))
          ? null
          : (passedAlready(one, name) ?? NEVER));
      if (why === null) continue;
      return [
        {
          kind: "storage",
          title: `${requestOf(refused, run.facts)} came without the cookie ${quoted(name, 60)} that ${requestOf(one, run.facts)} sets${why}${(refused.status ?? 0) >= 400 ? `; it was answered with ${refused.status}` : ""}`,
          detail: `It was answered with ${refused.status}.`,
          step_id: refused.step_id,
          events: [refused.seq, one.seq],
          ts: refused.end ?? refused.ts,
          is_new: null,
          weight: 0.95,
          about: `cookie ${name}`,
        },
      ];
    }
  return [];
}

/** What a sign-in led to, where the page stands at the sign-in again: the answer need not say that it was refused. */
function ledInVain({ run, failed }: Evidence): Exchange | undefined {
  const { facts, page } = run;
  if (!page || !SIGN_IN.test(pathOf(page.shot.url))) return undefined;
  const signIn = facts.exchanges.findLast((one) => one.ts <= failed.to && asksToSignIn(one, run));
  const to = signIn && leadsTo(signIn);
  if (!signIn || !to || SIGN_IN.test(pathOf(to))) return undefined;
  return facts.exchanges.find(
    (one) =>
      one.ts >= signIn.ts &&
      one !== signIn &&
      one.requestHeaders.length > 0 &&
      (pathOf(one.url) === pathOf(to) || pathOf(one.url).startsWith(`${pathOf(to)}/`)),
  );
}

const NEVER = ": the browser did not keep it, for no request carried it";

/** Of a cookie with a value that it was over before it came: who sets it has another clock. */
function passedAlready(one: Exchange, cookie: string): string | null {
  const ended = endedTooSoon(one).find(({ name }) => name === cookie);
  return ended
    ? ` with Expires=${ended.expires}, which had passed ${lapse(ended.by)} before it came: the browser dropped it, and the server's clock may be behind`
    : null;
}

function whyLost(
  terms: readonly string[],
  setter: Exchange,
  refused: Exchange,
  isCarried: boolean,
  run: RunEvidence,
): string | null {
  if (isRefused(terms)) return " with SameSite=None and without Secure: browsers refuse such a cookie";
  const domain = otherDomain(terms, setter);
  if (domain !== null)
    return ` with Domain=${domain}: ${URL.parse(setter.url)?.hostname} is no host of that domain, so that browsers refuse it`;
  const path = cookiePath(terms, setter);
  if (path === "/" || isSentTo(refused.url, path)) return null;
  if (!namesPath(terms)) return isCarried ? null : ` without a Path: only ${path} gets it`;
  // Products keep some cookies for a part of the site on purpose, and set them there.
  const isMeant =
    isSentTo(setter.url, path) &&
    !isSentTo(refused.url, `/${path.split("/")[1]}`) &&
    !leadsOutOf(path, setter) &&
    !isOnlySession(setter, refused, run);
  return isMeant || isRenewing(path, setter, refused, run)
    ? null
    : ` with Path=${path}: pages outside of ${path} do not get it`;
}

/** Whether a product knows who asks by a token in a header, and keeps the cookie of that path only to renew it. */
const isRenewing = (
  path: string,
  setter: Exchange,
  refused: Exchange,
  { facts, bodies }: RunEvidence,
): boolean =>
  (headerOf(refused.requestHeaders, "authorization") !== null || TOKEN.test(bodyOf(setter, bodies) ?? "")) &&
  facts.exchanges.some(({ url }) => isSentTo(url, path) && FOR_RENEWAL.test(pathOf(url)));

/** Whether a request came without any session, and all that a sign-in had given for one lies where that request does not. */
function isOnlySession(setter: Exchange, refused: Exchange, { bodies }: RunEvidence): boolean {
  const path = pathOf(setter.url);
  const isSignIn = CHANGING.has(setter.method) && SIGN_IN.test(path) && !FOR_RENEWAL.test(path);
  const given = [...cookieNames(refused), ...refused.requestHeaders.map(({ name }) => name)];
  return (
    isSignIn &&
    (refused.status === 401 || refused.status === 403) &&
    hasRawHeaders(refused) &&
    !given.some((name) => OF_SESSIONS.test(name) && !OF_FORGERY.test(name)) &&
    !TOKEN.test(bodyOf(setter, bodies) ?? "") &&
    [...cookiesOf(setter)].every(
      ([name, terms]) => !FOR_RENEWAL.test(name) && !isSentTo(refused.url, cookiePath(terms, setter)),
    )
  );
}

const OF_FORGERY = /csrf|xsrf|forgery/i;
/** What a script sends in a header of its own. */
const TOKEN = /"\w{0,100}(?:token|jwt)\w{0,100}"\s*:/i;

/** A cookie is meant for where the answer that sets it leads. */
function leadsOutOf(path: string, setter: Exchange): boolean {
  const to = leadsTo(setter);
  return to !== null && !isSentTo(to, path);
}

/** Where an answer leads; null where it leads nowhere. */
export function leadsTo({ headers, url }: Exchange): string | null {
  const location = headerOf(headers, "location");
  return location === null ? null : (URL.parse(location, url)?.href ?? null);
}

/** How GraphQL tells somebody in an answer of success that it does not know them. */
const UNKNOWN = /UNAUTHENTICATED|UNAUTHORI[SZ]ED|\b(?:sign|log)(?:ged)?[ -]?in\b|not authenticated/i;

const isTurnedAway = (one: Exchange, run: RunEvidence): boolean =>
  isTurnedAwayBy(one) || (UNKNOWN.test(bodyOf(one, run.bodies) ?? "") && isRefusedBy(one, run));

const isTurnedAwayBy = ({ status, headers }: Exchange): boolean =>
  status === 401 ||
  status === 403 ||
  (status !== null &&
    status >= 300 &&
    status < 400 &&
    SIGN_IN.test(headers.find(({ name }) => name === "location")?.value ?? ""));

const isSameHost = (one: string, other: string) => URL.parse(one)?.hostname === URL.parse(other)?.hostname;

/** Whether a request carried it. */
const isEverCarried = ({ run: { facts } }: Evidence, name: string): boolean =>
  facts.exchanges.some((one) => cookieNames(one).has(name));
