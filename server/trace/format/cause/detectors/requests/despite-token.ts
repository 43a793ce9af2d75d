import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { bodyOf, quoted } from "../../words.ts";

/** How servers speak of a token against forged requests that they miss, in words or by a code. */
const OF_FORGERY = /[cx]srf|forgery|authenticity/i;
/** What is looked through of an answer. */
const LONGEST = 2_000;

/**
 * That a request which was refused for want of a token against forgery had it in a header, with the value of its cookie, as a
 * clause; empty where it had not. What stands between a browser and a server may take a header away.
 */
export function despiteToken({ bodies }: RunEvidence, one: Exchange): string {
  if (one.status === null || one.status < 400 || one.status >= 500) return "";
  const said = OF_FORGERY.exec((bodyOf(one, bodies) ?? "").slice(0, LONGEST));
  const header = said && one.requestHeaders.find(({ name }) => OF_FORGERY.test(name));
  const cookie = header && cookieWith(header.value, one);
  return cookie
    ? `; its answer speaks of ${quoted(said[0], 40)}, though it carried the header ${quoted(header.name, 60)} with the value of its cookie ${quoted(cookie, 60)}`
    : "";
}

/** The cookie of a request that has a value. */
function cookieWith(value: string, { requestHeaders }: Exchange): string | null {
  const cookies = requestHeaders.flatMap(({ name, value: sent }) =>
    name === "cookie" ? sent.split(/;\s*/) : [],
  );
  const cookie = value === "" ? undefined : cookies.find((part) => isValueOf(part, value));
  return cookie === undefined ? null : cookie.slice(0, cookie.indexOf("="));
}

const isValueOf = (part: string, value: string): boolean => {
  const mine = part.slice(part.indexOf("=") + 1);
  return part.includes("=") && (mine === value || mine === encodeURIComponent(value));
};
