import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** Outgoing requests to addresses that a user gave. */
export interface Net {
  /**
   * GETs an http(s) URL: resolves the host, refuses addresses that are not public (or loopback and private ones, unless
   * settings allow them), connects to the checked address, follows no redirect. The body fails beyond `maxBytes`.
   * @throws NetError
   */
  get(url: string, options: { signal: AbortSignal; maxBytes: number }): Promise<Response>;
  /**
   * POSTs to an http(s) URL under the same rules. Every answer is one, whatever its status; of its body the first `maxBytes` are
   * read, and fewer where it breaks off or does not end before the signal: whoever sent a status has answered.
   * @throws NetError when nothing may be sent there, or nobody answers
   */
  post(
    url: string,
    message: {
      headers: Record<string, string>;
      body: string;
      signal: AbortSignal;
      maxBytes: number;
    },
  ): Promise<{ status: number; headers: Headers; text: string }>;
  /**
   * Judges a URL before anything is sent to it. A name that cannot be resolved at this moment passes: it is judged again then.
   * @throws NetError `url_not_allowed`
   */
  check(url: string): Promise<void>;
}

/** A URL that may not be fetched, cannot be reached, or answers with too much. `kind` is the error code of the answer. */
export class NetError extends Error {
  override name = "NetError";
  readonly kind: "url_not_allowed" | "invalid_request" | "body_too_large";
  constructor(kind: NetError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Special-purpose ranges of the IANA registries (RFC 6890 and later), written as address/prefix. */
const SPECIAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Within Azure's machines it answers as a metadata service, though its range is public.
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/3",
  "4000::/2",
  "8000::/1",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
];

/** One list a family: in a common one an IPv6 range also catches IPv4 addresses, by their mapped form. */
const special = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of SPECIAL) {
  const [address, prefix] = range.split("/") as [string, string];
  special[familyOf(address)].addSubnet(address, Number(prefix), familyOf(address));
}

const LOCALHOST = /(?:^|\.)localhost\.?$/;

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  return !special[family].check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

export function createNet(options: { allowPrivate: boolean }): Net {
  /** The address to connect to. Every address of the name is checked, since the system may choose any of them. */
  async function resolve(hostname: string): Promise<string> {
    const notPublic = () =>
      new NetError("url_not_allowed", "The URL leads to an address that is not public.");
    // RFC 6761, section 6.3: this host, whatever the resolver knows of it.
    if (!options.allowPrivate && LOCALHOST.test(hostname)) throw notPublic();
    const addresses = await addressesOf(hostname);
    if (!options.allowPrivate && !addresses.every(isPublicAddress)) throw notPublic();
    return addresses[0]!;
  }

  /** Asks the address that was judged, in the name that was given. */
  async function send(
    text: string,
    init: { signal: AbortSignal; method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response> {
    const url = parse(text);
    const address = await resolve(url.hostname);
    const target = new URL(url);
    target.hostname = address.includes(":") ? `[${address}]` : address;
    return fetch(target, {
      ...init,
      redirect: "manual",
      keepalive: false,
      headers: { ...init.headers, host: url.host, accept: "*/*" },
      ...(isIP(withoutBrackets(url.hostname)) ? {} : { tls: { serverName: url.hostname } }),
    }).catch((error: unknown) => {
      if (init.signal.aborted) throw error;
      throw new NetError("invalid_request", "The URL cannot be fetched: the connection failed.");
    });
  }

  return {
    async get(text, { signal, maxBytes }) {
      const response = await send(text, { signal, method: "GET", headers: {} });
      return refuse(response) ?? capped(response, maxBytes);
    },
    async post(text, { headers, body, signal, maxBytes }) {
      const response = await send(text, { signal, method: "POST", headers, body });
      return {
        status: response.status,
        headers: response.headers,
        text: await beginning(response, maxBytes),
      };
    },
    async check(text) {
      const { hostname } = parse(text);
      await resolve(hostname).catch((error: unknown) => {
        if (!(error instanceof NetError) || error.kind === "url_not_allowed") throw error;
      });
    },
  };
}

/** The first bytes of a body as text, as far as they come; the rest is not waited for. */
async function beginning(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader && size < maxBytes) {
    const next = await reader.read().catch(() => null);
    if (!next || next.done) break;
    parts.push(next.value);
    size += next.value.byteLength;
  }
  await reader?.cancel().catch(() => {});
  return Buffer.concat(parts).subarray(0, maxBytes).toString();
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new NetError("url_not_allowed", "The URL must begin with http:// or https://.");
  if (url.username !== "" || url.password !== "")
    throw new NetError("url_not_allowed", "The URL must not carry a user name or password.");
  return url;
}

/** A URL's host as an address is written elsewhere: `[::1]` is `::1`. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

/**
 * The IP addresses that a URL's host stands for.
 * @throws NetError `invalid_request` for a name without any
 */
export async function addressesOf(hostname: string): Promise<string[]> {
  const host = withoutBrackets(hostname);
  if (isIP(host)) return [host];
  try {
    const found = await lookup(host, { all: true, verbatim: true });
    if (found.length > 0) return found.map(({ address }) => address);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  throw new NetError("invalid_request", "The URL's host name cannot be resolved.");
}

function refuse(response: Response): null {
  if (response.status >= 300 && response.status < 400)
    throw new NetError("url_not_allowed", "The URL redirects; give the final address.");
  if (!response.ok) throw new NetError("invalid_request", `The URL answers with status ${response.status}.`);
  return null;
}

function capped(response: Response, maxBytes: number): Response {
  const tooLarge = () => new NetError("body_too_large", `The URL holds more than ${maxBytes} bytes.`);
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
  const { status, headers } = response;
  return new Response(response.body?.pipeThrough(counter) ?? null, { status, headers });
}
