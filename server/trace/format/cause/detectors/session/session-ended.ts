import { cookieNames } from "../../exchanges/cookie-terms.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { headerOf, lapse, pathOf } from "../../words.ts";
import { ledByHeader } from "./led-by-header.ts";

const SIGN_OUT = /(?:log|sign)[-_]?out\b/i;

/** That a request which sends a person to the sign-in had been answered with the very same cookies before, as a clause; empty where it had not, or the person signed out since. */
export function sessionEnded(facts: RunFacts, sender: Exchange): string {
  const cookies = headerOf(sender.requestHeaders, "cookie");
  if (cookies === null) return "";
  const before = exchangesOf(facts, exchangeKey(sender, facts)).findLast(
    (one) =>
      one.end !== null &&
      one.end <= sender.ts &&
      one.status !== null &&
      one.status < 300 &&
      ledByHeader(one) === null &&
      headerOf(one.requestHeaders, "cookie") === cookies,
  );
  const hasLeft = facts.exchanges.some(
    ({ ts, url }) => before && ts >= before.ts && ts <= sender.ts && SIGN_OUT.test(pathOf(url)),
  );
  if (!before || hasLeft) return "";
  return `, though it had been answered ${lapse(sender.ts - before.end!)} before with the same cookies: the session had ended by then${beginsAnother(sender) ? ", and the answer begins another one" : ""}`;
}

/** Whether an answer sets a cookie anew that its request carried. */
function beginsAnother(one: Exchange): boolean {
  const sent = cookieNames(one);
  return one.headers.some(
    ({ name, value }) => name === "set-cookie" && sent.has(/^([^=;\s]+)=[^;\s]/.exec(value)?.[1] ?? ""),
  );
}
