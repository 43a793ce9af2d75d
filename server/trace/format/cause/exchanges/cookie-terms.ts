import type { Exchange } from "../run/run-facts.ts";

/** The path that a cookie is set under by its terms (`Path=/shop`); without one, the folder of the address that set it (RFC 6265, 5.1.4). */
export const cookiePath = (terms: readonly string[], setter: Pick<Exchange, "url">): string =>
  pathIn(terms) ?? (folderOf(setter.url) || "/");

/** Whether the terms name a path, or leave it to the address that set the cookie. */
export const namesPath = (terms: readonly string[]): boolean => pathIn(terms) !== undefined;

const pathIn = (terms: readonly string[]) => terms.find((term) => term.startsWith("Path=/"))?.slice(5);

const folderOf = (url: string) => URL.parse(url)?.pathname.replace(/\/[^/]*$/, "");

/** Whether a cookie of that path is sent to an address (RFC 6265, 5.1.4). */
export function isSentTo(url: string, path: string): boolean {
  const asked = URL.parse(url)?.pathname ?? "/";
  return asked === path || asked.startsWith(path.endsWith("/") ? path : `${path}/`);
}

/** The names of the cookies that a request carried. */
export const cookieNames = ({ requestHeaders }: Exchange): Set<string> =>
  new Set(
    requestHeaders.flatMap(({ name, value }) =>
      name === "cookie" ? value.split(/;\s*/).map((part) => part.split("=")[0]!) : [],
    ),
  );

/** A cookie with a value that had ended before it came. */
interface EndedCookie {
  name: string;
  /** As its terms have it. */
  expires: string;
  /** Ms by which it had ended. */
  by: number;
}

/** The cookies of an answer that its server meant to keep, and that had ended before it came; Max-Age goes before Expires (RFC 6265, 5.3). */
export function endedTooSoon({ headers, end, ts }: Exchange): EndedCookie[] {
  return headers.flatMap((header) => {
    const [, name, value] = (header.name === "set-cookie" && /^([^=;\s]+)=([^;]*)/.exec(header.value)) || [];
    const expires = /;\s*expires=([^;]{1,60})/i.exec(header.value)?.[1]?.trim() ?? "";
    const by = (end ?? ts) - Date.parse(expires);
    const isTooSoon = by > 0 && by <= LONGEST_BEHIND && !/;\s*max-age=/i.test(header.value);
    return name && isTooSoon && !NO_VALUE.test(value!.trim()) ? [{ name, expires, by }] : [];
  });
}

/** What nobody means to set who gives a cookie no value, or a word for it. */
const NO_VALUE = /^"?(?:deleted?|removed?|expired|null|undefined|0)?"?$/i;
/** What is to be taken away is given an end of years ago. */
const LONGEST_BEHIND = 7 * 86_400_000;

/** Whether a recorder tells a request's headers as they were sent, cookies among them, and not as a script gave them. */
export const hasRawHeaders = ({ requestHeaders }: Exchange): boolean =>
  requestHeaders.some(({ name }) => name === "cookie" || name === "host" || name === ":authority");

/** Names of what is sent for the next sign-in alone. */
export const FOR_RENEWAL = /refresh|renew/i;
