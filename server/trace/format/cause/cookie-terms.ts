import type { Exchange } from "./run-facts.ts";

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

/** Whether a recorder tells a request's headers as they were sent, cookies among them, and not as a script gave them. */
export const hasRawHeaders = ({ requestHeaders }: Exchange): boolean =>
  requestHeaders.some(({ name }) => name === "cookie" || name === "host" || name === ":authority");

/** Names of what is sent for the next sign-in alone. */
export const FOR_RENEWAL = /refresh|renew/i;
