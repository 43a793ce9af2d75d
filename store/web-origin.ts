/** What `webOrigin` takes, in words. */
export const AN_ORIGIN = "an http(s) origin without a path, like https://shop.example";

/**
 * The origin that a text names, as browsers write it: scheme and host in lower case, no port where it is the scheme's own.
 * Null when it is no http(s) origin: when it has a path, a query, a user, or `*`, which would never match.
 */
export function webOrigin(text: string): string | null {
  if (!/^https?:\/\/[^/\\?#@*\s]+\/?$/i.test(text)) return null;
  return URL.parse(text)?.origin ?? null;
}
