import { MASK } from "../redaction/redact.ts";

/** What Chromium tells of a request that it holds (CDP `Fetch.requestPaused`). */
export interface Paused {
  requestId: string;
  request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    postData?: string;
    hasPostData?: boolean;
    postDataEntries?: { bytes?: string }[];
  };
  resourceType: string;
  responseStatusCode?: number;
  responseHeaders?: { name: string; value: string }[];
  responseErrorReason?: string;
}

type Headers = readonly { name: string; value: string }[];

/** The body was unpacked and is sent whole. */
const LEFT_OUT = new Set(["content-length", "content-encoding", "transfer-encoding", "connection"]);
const REASONS: Record<string, string> = {
  ERR_ABORTED: "Aborted",
  ERR_TIMED_OUT: "TimedOut",
  ERR_ACCESS_DENIED: "AccessDenied",
  ERR_CONNECTION_CLOSED: "ConnectionClosed",
  ERR_CONNECTION_RESET: "ConnectionReset",
  ERR_CONNECTION_REFUSED: "ConnectionRefused",
  ERR_CONNECTION_ABORTED: "ConnectionAborted",
  ERR_CONNECTION_FAILED: "ConnectionFailed",
  ERR_NAME_NOT_RESOLVED: "NameNotResolved",
  ERR_INTERNET_DISCONNECTED: "InternetDisconnected",
  ERR_ADDRESS_UNREACHABLE: "AddressUnreachable",
  ERR_BLOCKED_BY_CLIENT: "BlockedByClient",
  ERR_BLOCKED_BY_RESPONSE: "BlockedByResponse",
};

/** Undefined when there is a body that the browser does not tell. */
export function bodyOf({
  postData,
  hasPostData,
  postDataEntries,
}: Paused["request"]): string | null | undefined {
  if (postDataEntries?.some(({ bytes }) => bytes !== undefined))
    return Buffer.concat(postDataEntries.map(({ bytes }) => Buffer.from(bytes ?? "", "base64"))).toString(
      "utf8",
    );
  return postData ?? (hasPostData ? undefined : null);
}

function headerOf(headers: Record<string, string>, name: string): string | null {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}

export const headerValue = (headers: Headers, wanted: string): string | undefined =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value;

export const typeOf = (headers: Headers): string => headerValue(headers, "content-type") ?? "";

/** CDP's name of what a recording calls `net::ERR_…`. */
export const reasonOf = (error: string): string => REASONS[/ERR_[A-Z_]+/.exec(error)?.[0] ?? ""] ?? "Failed";

/** What an answer can be sent with whose body is sent as a whole. */
export const withoutLength = <Header extends { name: string }>(headers: readonly Header[]): Header[] =>
  headers.filter(({ name }) => !LEFT_OUT.has(name.toLowerCase()));

/** The same of a recorded one, in which cookies are masked. */
export const servable = (headers: Headers): { name: string; value: string }[] =>
  withoutLength(headers).filter(({ value }) => !value.includes(MASK));

/** Headers that allow what a preflight asks for, which recordings do not tell of; null for other requests (Fetch standard, CORS preflight). */
export function preflightOf({
  method,
  headers,
}: Paused["request"]): { name: string; value: string }[] | null {
  const asked = headerOf(headers, "access-control-request-method");
  if (method !== "OPTIONS" || asked === null) return null;
  return [
    { name: "access-control-allow-origin", value: headerOf(headers, "origin") ?? "*" },
    { name: "access-control-allow-methods", value: asked },
    {
      name: "access-control-allow-headers",
      value: headerOf(headers, "access-control-request-headers") ?? "",
    },
    { name: "access-control-allow-credentials", value: "true" },
  ];
}
