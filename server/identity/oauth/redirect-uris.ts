/** Schemes that a browser acts on itself, or that lead into this machine: no program can be reached by them. */
const FORBIDDEN = new Set([
  ...[
    "javascript",
    "data",
    "vbscript",
    "blob",
    "file",
    "filesystem",
    "about",
    "view-source",
    "mailto",
    "tel",
  ],
  ...[
    "ws",
    "wss",
    "ftp",
    "ftps",
    "chrome",
    "chrome-extension",
    "moz-extension",
    "edge",
    "resource",
    "intent",
    "jar",
  ],
]);
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;
const MAX_LENGTH = 500;

/**
 * Whether answers may go there: https, http to this machine, or a scheme of the program's own (RFC 8252, section 7); without
 * fragment, user name and whatever browsers read in their own way.
 */
export function isAllowedRedirect(uri: string): boolean {
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /[\\#<>"`{}|^]/.test(uri)) return false;
  const url = URL.parse(uri);
  if (!url || url.username + url.password !== "") return false;
  const scheme = url.protocol.slice(0, -1);
  // What the parser would change is not what is compared later.
  if (!uri.startsWith(url.protocol)) return false;
  if (scheme === "https") return /^https:\/\/[^/?@]+(?=[/?]|$)/.test(uri);
  if (scheme === "http") return LOOPBACK.test(uri);
  return !FORBIDDEN.has(scheme) && uri.length > url.protocol.length;
}

/** Whether a redirect URI is a registered one: to the letter, but that a program on this machine may take another port. */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  return (
    LOOPBACK.test(uri) &&
    registered.some((one) => LOOPBACK.test(one) && withoutPort(one) === withoutPort(uri))
  );
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, "http://$1");
}

/** How people are told where an answer goes. */
export function redirectPlace(uri: string): string {
  const url = new URL(uri);
  if (LOOPBACK.test(uri)) return `a program on this computer (${url.host})`;
  return url.protocol === "https:" ? url.host : `the app that opens ${url.protocol} links`;
}

/** What a content security policy calls it. It has no word for an IPv6 address, only for its scheme. */
export function policySource(uri: string): string {
  const url = new URL(uri);
  if (url.protocol !== "https:" && url.protocol !== "http:") return url.protocol;
  return url.hostname.startsWith("[") ? url.protocol : url.origin;
}
