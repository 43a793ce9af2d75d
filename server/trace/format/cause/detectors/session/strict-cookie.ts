import { cookieNames, cookiePath, hasRawHeaders, isSentTo } from "../../exchanges/cookie-terms.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, headerOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { cookiesOf } from "../answers/headers.ts";

const STRICT = /^SameSite=Strict$/i;
/** Pages that were opened right before, by which a browser tells where it comes from. */
const MOST_BEFORE = 3;

/** A refused page of this site to which another site led, that came without the cookie which is set with `SameSite=Strict` (RFC 6265bis, 5.6.7.1). */
export function detectStrictCookie(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const pages = run.facts.exchanges.filter(({ type, ts }) => type === "document" && ts <= failed.to);
  if (!pages.some(isRefused)) return [];
  const kept = strictIn(run.facts);
  for (const [at, page] of pages.entries()) {
    const host = hostOf(page);
    const other = pages.slice(Math.max(0, at - MOST_BEFORE), at).findLast((one) => hostOf(one) !== host);
    if (!other || !hasRawHeaders(page) || !isRefused(page)) continue;
    const cookie = kept.find(
      ({ name, path, setter }) =>
        setter.ts < other.ts &&
        hostOf(setter) === host &&
        isSentTo(page.url, path) &&
        !cookieNames(page).has(name),
    );
    if (!cookie || passes.some(({ facts }) => strictIn(facts).some(({ name }) => name === cookie.name)))
      continue;
    const { name, setter } = cookie;
    return [
      {
        kind: "storage",
        title: `${requestOf(setter, run.facts)} sets the cookie ${quoted(name, 60)} with SameSite=Strict, so that ${requestOf({ ...page, url: page.url.replace(/\?.*/s, "") }, run.facts)}, to which another site led, came without it`,
        detail: null,
        step_id: page.step_id,
        events: [setter.seq, other.seq, page.seq],
        ts: page.end ?? page.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.98,
        about: aboutUrl(page.url, run.facts),
      },
    ];
  }
  return [];
}

/** Whether a page was refused, or its reader sent to sign in (again). */
function isRefused({ status, headers }: Exchange): boolean {
  if (status === null || status < 300) return false;
  return status >= 400 || SIGN_IN.test(headerOf(headers, "location") ?? "");
}

interface Strict {
  name: string;
  path: string;
  setter: Exchange;
}

const strictIn = ({ exchanges }: RunFacts): Strict[] =>
  exchanges.flatMap((setter) =>
    [...cookiesOf(setter)].flatMap(([name, terms]) =>
      terms.some((term) => STRICT.test(term)) ? [{ name, path: cookiePath(terms, setter), setter }] : [],
    ),
  );

const hostOf = ({ url }: Exchange): string | undefined => URL.parse(url)?.hostname;
