import type { Exchange } from "../run/run-facts.ts";
import { headerOf } from "../words.ts";

/** Says where an answer came from when it did not come from the network just now; null when it did. */
export function staleness({ headers, requestHeaders, status, fromNetwork }: Exchange): string | null {
  if (fromNetwork === false) return "out of a service worker or the browser's cache";
  // A recorder tells of the copy that the browser took, with the tag that it asked by.
  const tag = headerOf(headers, "etag");
  if (status === 304 || (tag !== null && tag === headerOf(requestHeaders, "if-none-match")))
    return "from the browser's cache (304: the server said that nothing had changed)";
  const age = Number(headerOf(headers, "age"));
  if (age > 0)
    return `from a cache, ${age < 7_200 ? `${age} s` : age < 172_800 ? `${Math.round(age / 3_600)} hours` : `${Math.round(age / 86_400)} days`} old`;
  return /\bhit\b/i.test(headerOf(headers, "x-cache") ?? headerOf(headers, "cf-cache-status") ?? "")
    ? "from a cache in between"
    : null;
}
