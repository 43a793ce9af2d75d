import { toIso } from "../../platform/clock.ts";
import type { Header, TraceEvent } from "./event.ts";

/** A body as HAR can hold it; without `text` it was left out, and `reason` says why. */
export interface HarBody {
  /** Bytes. */
  size: number;
  text?: string;
  encoding?: "base64";
  reason?: string;
}

/** A message over a WebSocket, as Chromium's archives have it. */
export interface HarMessage {
  type: "send" | "receive";
  /** Seconds since 1970. */
  time: number;
  /** RFC 6455: 1 is text, 2 is binary. */
  opcode: number;
  /** Text, or base64 of what is binary. */
  data: string;
}

export interface Exchange {
  /** At least one of the two. */
  request: TraceEvent | null;
  response: TraceEvent | null;
  requestBody: HarBody | null;
  responseBody: HarBody | null;
  /** Of a WebSocket, in their order; null for every other exchange. */
  messages?: HarMessage[] | null;
  /** Messages of it that had no room. */
  leftOut?: number;
}

const LATEST_MS = 8.64e15;
const HEADERS_SIZE_UNKNOWN = -1;

/** What stands around the entries of an archive (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/). */
export function harFrame(creator: { name: string; version: string }): { start: string; end: string } {
  return { start: `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`, end: "]}}" };
}

/** One exchange as an entry of an archive (HAR 1.2); what was not recorded has the values that HAR gives the unknown. */
export function harEntry({ request, response, requestBody, responseBody, messages, leftOut }: Exchange) {
  const known = (request ?? response)!;
  const duration = positive(response?.duration_ms);
  const { time, timings } = timingsOf(response?.timing, duration);
  const started = request?.ts ?? known.ts - duration;
  const serverIp = text(response?.server_ip);
  const httpVersion = text(response?.http_version);
  const requestHeaders = headersOf(request);
  const responseHeaders = headersOf(response);
  const type = text(known.resource_type) || text(response?.resource_type);
  const error = text(response?.error);
  return {
    startedDateTime: toIso(Math.round(Math.min(Math.max(started, -LATEST_MS), LATEST_MS))),
    time,
    request: {
      method: text(known.method) || text(response?.method) || "GET",
      url: text(known.url),
      httpVersion,
      cookies: requestCookies(requestHeaders),
      headers: requestHeaders,
      queryString: queryOf(text(known.url)),
      ...(requestBody && { postData: postDataOf(requestBody, requestHeaders) }),
      headersSize: HEADERS_SIZE_UNKNOWN,
      bodySize: requestBody?.size ?? 0,
    },
    response: {
      status: Math.trunc(positive(response?.status)),
      statusText: text(response?.status_text),
      httpVersion,
      cookies: responseCookies(responseHeaders),
      headers: responseHeaders,
      content: contentOf(response, responseBody, responseHeaders),
      redirectURL: headerOf(responseHeaders, "location"),
      headersSize: HEADERS_SIZE_UNKNOWN,
      bodySize: -1,
      ...(error && { _error: error }),
      ...(!response && { comment: "No answer was recorded." }),
    },
    cache: {},
    timings,
    ...(serverIp && { serverIPAddress: serverIp }),
    ...(type && { _resourceType: type }),
    ...(messages && { _webSocketMessages: messages }),
    ...(leftOut && { comment: `${leftOut} of its WebSocket messages are left out.` }),
  };
}

/** A recorded message; `whole` is its text or base64 where that was stored apart. */
export function harMessage(frame: TraceEvent, whole: string | null): HarMessage {
  return {
    type: frame.direction === "sent" ? "send" : "receive",
    time: frame.ts / 1000,
    opcode: typeof frame.opcode === "number" ? frame.opcode : 1,
    data: whole ?? (text(frame.text) || text(frame.base64)),
  };
}

function postDataOf(body: HarBody, headers: Header[]) {
  const mimeType = headerOf(headers, "content-type");
  // HAR 1.2 has no encoding for what was sent.
  if (body.text === undefined || body.encoding)
    return { mimeType, text: "", comment: body.reason ?? "The body is no text and was left out." };
  return { mimeType, text: body.text };
}

function contentOf(response: TraceEvent | null, body: HarBody | null, headers: Header[]) {
  const size = positive(response?.body_size) || (body?.size ?? 0);
  const mimeType = text(response?.media_type) || headerOf(headers, "content-type") || "x-unknown";
  if (!body) return { size, mimeType };
  const { text: content, encoding, reason } = body;
  return {
    size,
    mimeType,
    ...(content !== undefined && { text: content }),
    ...(encoding && { encoding }),
    ...(reason && { comment: reason }),
  };
}

/** Phases in ms, −1 for those that do not apply; `time` is their sum, of which `ssl` is no part since `connect` has it. */
function timingsOf(recorded: unknown, duration: number) {
  const phases =
    typeof recorded === "object" && recorded !== null ? (recorded as Record<string, unknown>) : {};
  const phase = (name: string, absent: number) =>
    typeof phases[name] === "number" && phases[name] >= 0 ? phases[name] : absent;
  const hasAny = ["send", "wait", "receive"].some((name) => phase(name, -1) >= 0);
  const timings = {
    blocked: phase("blocked", -1),
    dns: phase("dns", -1),
    connect: phase("connect", -1),
    ssl: phase("ssl", -1),
    send: phase("send", 0),
    wait: hasAny ? phase("wait", 0) : duration,
    receive: phase("receive", 0),
  };
  const { ssl: _ssl, ...summed } = timings;
  const time = Object.values(summed).reduce((sum, ms) => sum + Math.max(0, ms), 0);
  return { time, timings };
}

function headersOf(event: TraceEvent | null): Header[] {
  if (!Array.isArray(event?.headers)) return [];
  return event.headers.flatMap((header: unknown) => {
    if (typeof header !== "object" || header === null) return [];
    const { name, value } = header as Record<string, unknown>;
    return typeof name === "string" ? [{ name, value: typeof value === "string" ? value : "" }] : [];
  });
}

function headerOf(headers: Header[], wanted: string): string {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? "";
}

function requestCookies(headers: Header[]): Header[] {
  return headers
    .filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => value.split(";").flatMap(pairOf));
}

function responseCookies(headers: Header[]): Header[] {
  return headers
    .filter(({ name }) => name.toLowerCase() === "set-cookie")
    .flatMap(({ value }) => value.split("\n").flatMap((line) => pairOf(line.split(";", 1)[0]!)));
}

function pairOf(pair: string): Header[] {
  const at = pair.indexOf("=");
  return at <= 0 ? [] : [{ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }];
}

function queryOf(url: string): Header[] {
  const parsed = URL.parse(url);
  return parsed ? [...parsed.searchParams].map(([name, value]) => ({ name, value })) : [];
}

function positive(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
