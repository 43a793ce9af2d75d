import { cookiesOf, isRefused } from "../detectors/headers.ts";
import type { Exchange } from "../run-facts.ts";
import { answersBefore } from "../select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { bodyOf, headerOf, isForeign, quoted, requestOf, SIGN_IN } from "../words.ts";
import { isRefusedBy } from "./refused.ts";

const MOST = 200;

/** A cookie that was set and that a later request, which was refused or sent to the sign-in, came without, by the terms it was set under. */
export function detectLostCookie(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const refused = run.facts.exchanges.findLast(
    (one) =>
      one.ts <= failed.to &&
      one.requestHeaders.length > 0 &&
      isTurnedAway(one, run) &&
      !isForeign(one.url, run.facts),
  );
  if (!refused) return [];
  const carried = namesIn(refused);
  for (const one of answersBefore(
    evidence,
    MOST,
    ({ ts, url }) => ts < refused.ts && isSameHost(url, refused.url),
  ).toReversed())
    for (const [name, terms] of cookiesOf(one)) {
      if (carried.has(name)) continue;
      const why =
        whyLost(terms, one, refused) ??
        (isEverCarried(evidence, name) || !isRaw(refused) || !isWithin(refused.url, pathOf(terms))
          ? null
          : NEVER);
      if (why === null) continue;
      return [
        {
          kind: "storage",
          title: `${requestOf(refused, run.facts)} came without the cookie ${quoted(name, 60)} that ${requestOf(one, run.facts)} sets${why}`,
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

const NEVER = ": the browser did not keep it, for no request carried it";

function whyLost(terms: readonly string[], setter: Exchange, refused: Exchange): string | null {
  if (isRefused(terms)) return " with SameSite=None and without Secure: browsers refuse such a cookie";
  const domain = terms
    .find((term) => term.startsWith("Domain="))
    ?.slice(7)
    .replace(/^\./, "");
  const host = URL.parse(setter.url)?.hostname;
  if (domain && host && !isOfDomain(host, domain))
    return ` with Domain=${domain}: ${host} is no host of that domain, so that browsers refuse it`;
  const path = pathOf(terms);
  if (path === "/" || isWithin(refused.url, path)) return null;
  // Products keep some cookies for a part of the site on purpose, and set them there.
  const isMeant =
    isWithin(setter.url, path) &&
    !isWithin(refused.url, `/${path.split("/")[1]}`) &&
    !leadsOutOf(path, setter);
  return isMeant ? null : ` with Path=${path}: pages outside of ${path} do not get it`;
}

/** A cookie is meant for where the answer that sets it leads. */
function leadsOutOf(path: string, { headers, url }: Exchange): boolean {
  const location = headerOf(headers, "location");
  const to = location === null ? null : URL.parse(location, url);
  return to !== null && !isWithin(to.href, path);
}

const pathOf = (terms: readonly string[]): string =>
  terms.find((term) => term.startsWith("Path=/"))?.slice(5) ?? "/";

/** Whether a cookie of that path is sent there (RFC 6265, 5.1.4). */
function isWithin(url: string, path: string): boolean {
  const asked = URL.parse(url)?.pathname ?? "/";
  return asked === path || asked.startsWith(path.endsWith("/") ? path : `${path}/`);
}

/** Whether a host may set a cookie for that domain (RFC 6265, 5.1.3). */
const isOfDomain = (host: string, domain: string): boolean =>
  host.toLowerCase() === domain.toLowerCase() || host.toLowerCase().endsWith(`.${domain.toLowerCase()}`);

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

const namesIn = ({ requestHeaders }: Exchange): Set<string> =>
  new Set(
    requestHeaders.flatMap(({ name, value }) =>
      name === "cookie" ? value.split(/;\s*/).map((part) => part.split("=")[0]!) : [],
    ),
  );

/** Whether a request carried it. */
const isEverCarried = ({ run: { facts } }: Evidence, name: string): boolean =>
  facts.exchanges.some((one) => namesIn(one).has(name));

/** Whether a recorder tells a request's headers as they were sent, cookies among them, and not as a script gave them. */
const isRaw = ({ requestHeaders }: Exchange): boolean =>
  requestHeaders.some(({ name }) => name === "cookie" || name === "host" || name === ":authority");
