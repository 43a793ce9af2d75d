import { isLoopbackName } from "../config.ts";
import { AppError, invalid } from "./errors.ts";

/** Which `Host` names this server answers to, against DNS rebinding (a page of another name that resolves here). */
export interface HostGuard {
  /** @throws AppError `misdirected_request` unless the one `Host` is a name of this server. The port does not count. */
  check(request: Request): void;
}

const MAX_REMEMBERED = 256;
/** One name or bracketed address, perhaps a port; two `Host` headers arrive joined by a comma and so do not match. */
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:@/\\?#[\],]+)(?::\d{1,5})?$/i;

export function createHostGuard(config: { host: string; publicUrl: string | null }): HostGuard {
  const names = new Set(["localhost", "127.0.0.1", "[::1]"]);
  if (!isWildcard(config.host)) names.add(asHostName(config.host));
  if (config.publicUrl) {
    const name = withoutDot(new URL(config.publicUrl).hostname);
    // The same name, spelled as the root of all names sees it.
    names.add(name).add(`${name}.`);
  }
  const known = new Map<string, boolean>();

  function isOurs(host: string): boolean {
    const remembered = known.get(host);
    if (remembered !== undefined) return remembered;
    const name = HOST.exec(host)?.[1]?.toLowerCase();
    const isName = name !== undefined && names.has(name);
    if (known.size < MAX_REMEMBERED) known.set(host, isName);
    return isName;
  }

  return {
    check(request) {
      const host = request.headers.get("host");
      if (host !== null && isOurs(host)) return;
      throw new AppError(
        "misdirected_request",
        "The Host header names another server. Use localhost, the address given by --host, or the one given by --public-url.",
      );
    },
  };
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "[::]";
}

function asHostName(host: string): string {
  const name = host.toLowerCase();
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}

/**
 * A request that changes something and is authenticated by cookie must come from a page of this server: its `Origin`
 * has to be the very address the request went to, or the public URL.
 * @throws AppError `forbidden`
 */
export function checkOrigin(request: Request, publicUrl: string | null): void {
  const { method } = request;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return;
  if (isFromOwnPage(request, publicUrl)) return;
  throw new AppError(
    "forbidden",
    "A request that changes something and is signed in by cookie needs the Origin header of this server.",
  );
}

/**
 * Programs send no `Origin`; whoever sends one is a page, and that must be one of this server (MCP, streamable HTTP,
 * security considerations).
 * @throws AppError `forbidden`
 */
export function refuseForeignOrigin(request: Request, publicUrl: string | null): void {
  if (request.headers.get("origin") === null || isFromOwnPage(request, publicUrl)) return;
  throw new AppError(
    "forbidden",
    "The Origin header names another server: its pages may not call this address.",
  );
}

function isFromOwnPage(request: Request, publicUrl: string | null): boolean {
  const origin = request.headers.get("origin");
  const host = request.headers.get("host");
  if (origin === null || host === null) return false;
  const ours = [`http://${host}`, `https://${host}`, ...(publicUrl === null ? [] : [publicUrl])];
  const given = normalOrigin(origin);
  return given !== null && ours.some((one) => normalOrigin(one) === given);
}

/**
 * Refuses query parameters that are given twice: which of them counts would be a guess.
 * @throws AppError `invalid_request` naming the parameter
 */
export function refuseRepeatedParameters(url: string): void {
  const start = url.indexOf("?");
  if (start === -1 || url.indexOf("&", start) === -1) return;
  const seen = new Set<string>();
  for (const name of new URLSearchParams(url.slice(start + 1)).keys()) {
    if (seen.has(name)) throw invalid(`The query parameter "${printable(name)}" is given more than once.`);
    seen.add(name);
  }
}

function printable(name: string): string {
  return name.replace(/[^\w.-]/g, "?").slice(0, 64);
}

/**
 * The scheme and host the client used, for cookies and signed links, which must work from where it came. With an https
 * public URL everybody who comes by another name than this machine's own came by https: the server itself cannot see it.
 */
export function originOf(request: Request, config: { publicUrl: string | null }): string {
  const host = request.headers.get("host") ?? "localhost";
  const origin = `${isSecure(request, config) ? "https" : "http"}://${host}`;
  return normalOrigin(origin) ?? origin;
}

/** Where others find this server, for links that leave it: the public URL, else the address that the client used. */
export function publicOriginOf(request: Request, config: { publicUrl: string | null }): string {
  return config.publicUrl ?? originOf(request, config);
}

/** Whether the client came by https, so that its cookies and later visits must not go another way. */
export function isSecure(request: Request, config: { publicUrl: string | null }): boolean {
  if (!config.publicUrl?.startsWith("https:")) return false;
  return !isLoopbackName(nameOf(request.headers.get("host") ?? "localhost"));
}

/** An origin in the one spelling that is compared: small letters, no default port, no dot at the end of the name. */
function normalOrigin(origin: string): string | null {
  const url = URL.parse(origin);
  if (!url || url.origin === "null") return null;
  return `${url.protocol}//${withoutDot(url.hostname)}${url.port && `:${url.port}`}`;
}

function nameOf(host: string): string {
  return withoutDot((HOST.exec(host)?.[1] ?? "").toLowerCase());
}

function withoutDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
