import { cookiesOf } from "../../detectors/answers/headers.ts";
import { cookieNames } from "../../exchanges/cookie-terms.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isForeign, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";

const MOST = 200;

/** A session's cookie for a domain that its host is none of: browsers refuse it, and the page stands at the sign-in. */
export function detectOtherDomain(evidence: Evidence): Finding[] {
  const { facts, page } = evidence.run;
  if (!page || !SIGN_IN.test(pathOf(page.shot.url))) return [];
  const isCarried = (cookie: string) => facts.exchanges.some((one) => cookieNames(one).has(cookie));
  for (const one of answersBefore(evidence, MOST, ({ url }) => !isForeign(url, facts)).toReversed())
    for (const [cookie, terms] of cookiesOf(one)) {
      const domain = otherDomain(terms, one);
      if (domain === null || !OF_SESSIONS.test(cookie) || isCarried(cookie)) continue;
      return [
        {
          kind: "storage",
          title: `${requestOf(one, facts)} sets the cookie ${quoted(cookie, 60)} with Domain=${domain}: ${URL.parse(one.url)?.hostname} is no host of that domain, so that browsers refuse it and no request carries it`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: one.end ?? one.ts,
          is_new: null,
          weight: 0.9,
          about: `cookie ${cookie}`,
        },
      ];
    }
  return [];
}

export const OF_SESSIONS = /sess|sid\b|auth(?!ority)|token|jwt|login|user(?!-agent)|api-?key/i;

/** The domain of a cookie that its host may not set it for (RFC 6265, 5.1.3); null where it may, or it names none. */
export function otherDomain(terms: readonly string[], { url }: Exchange): string | null {
  const domain = terms
    .find((term) => term.startsWith("Domain="))
    ?.slice(7)
    .replace(/^\./, "")
    .toLowerCase();
  const host = URL.parse(url)?.hostname.toLowerCase();
  return domain && host && host !== domain && !host.endsWith(`.${domain}`) ? domain : null;
}
