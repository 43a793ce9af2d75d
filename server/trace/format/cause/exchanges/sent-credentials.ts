import type { Exchange } from "../run/run-facts.ts";

/** A browser tells at first what a page asked it to send; that it added cookies is told later, and not of every request. */
export const isWhole = ({ requestHeaders }: Exchange): boolean =>
  requestHeaders.some(({ name }) => name === "host" || name === ":authority");

/** Names of the cookies that a request carries, and of its Authorization header. */
export function credentialsOf({ requestHeaders }: Exchange): Set<string> {
  const names = new Set<string>();
  for (const { name, value } of requestHeaders) {
    if (name === "authorization") names.add("authorization");
    if (name === "cookie")
      for (const part of value.split(/;\s*/))
        if (part.includes("=")) names.add(part.slice(0, part.indexOf("=")));
  }
  return names;
}

/** The value of a cookie that a request carries; undefined where it carries none of that name. */
export function cookieIn({ requestHeaders }: Exchange, cookie: string): string | undefined {
  const parts = requestHeaders.flatMap(({ name, value }) => (name === "cookie" ? value.split(/;\s*/) : []));
  return parts.find((part) => part.startsWith(`${cookie}=`))?.slice(cookie.length + 1);
}
