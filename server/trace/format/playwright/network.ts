import type { Header } from "../event.ts";
import { list, number, type Raw, record, text } from "./shape.ts";

const MOST_HEADERS = 300;
const LONGEST_HEADER = 16_384;
const LONGEST_INLINE_BODY = 64 * 1024;

export interface Exchange {
  /** Monotonic ms, or epoch ms when `isWall`. */
  time: number;
  isWall: boolean;
  durationMs: number;
  request: Raw;
  /** Null when no answer came before the recording ended. */
  response: Raw | null;
}

/**
 * Request and response events of one HAR entry (HAR 1.2, with the fields Playwright adds by a leading underscore).
 * Null when the entry names no URL or no time.
 */
export function exchangeOf(
  entry: Raw,
  requestId: string,
  resource: (name: string) => string | null,
): Exchange | null {
  const request = record(entry.request);
  const response = record(entry.response);
  const url = text(request.url, LONGEST_INLINE_BODY);
  const monotonic = number(entry._monotonicTime);
  const wall = typeof entry.startedDateTime === "string" ? Date.parse(entry.startedDateTime) : Number.NaN;
  if (!url || (monotonic === undefined && !Number.isFinite(wall))) return null;
  const method = text(request.method, 100) ?? "GET";
  const page = text(entry.pageref, 200);
  const shared = {
    request_id: requestId,
    method,
    url,
    ...optional(
      "resource_type",
      text(entry._resourceType, 100) ?? (entry._apiRequestRef ? "api" : undefined),
    ),
    ...optional("page", page),
    ...optional("handled", handledBy(entry)),
  };
  const timing = timingOf(record(entry.timings));
  const durationMs = durationOf(entry, timing);
  return {
    time: monotonic ?? wall,
    isWall: monotonic === undefined,
    durationMs,
    request: {
      kind: "network.request",
      ...shared,
      headers: headersOf(request.headers),
      ...optional("body", bodyOf(record(request.postData), resource)),
    },
    response: responseOf(shared, response, record(entry), { timing, durationMs, resource }),
  };
}

function responseOf(
  shared: Raw,
  response: Raw,
  entry: Raw,
  more: { timing: Record<string, number>; durationMs: number; resource: (name: string) => string | null },
): Raw | null {
  const status = number(response.status) ?? 0;
  const failure =
    text(response._failureText ?? entry._failureText, 2000) ?? (entry._wasAborted ? "aborted" : undefined);
  if (status <= 0 && !failure) return null;
  // What was said over a WebSocket is told frame by frame.
  const content = entry._resourceType === "websocket" ? {} : record(response.content);
  const size = sizeOf(content, response);
  const mediaType = text(content.mimeType, 200);
  return {
    kind: "network.response",
    ...shared,
    status: Math.max(0, Math.trunc(status)),
    ...optional("status_text", text(response.statusText, 500)),
    headers: headersOf(response.headers),
    ...optional("body", bodyOf(content, more.resource)),
    ...(size !== null && { body_size: size }),
    ...(mediaType && mediaType !== "x-unknown" && { media_type: mediaType }),
    duration_ms: more.durationMs,
    ...(Object.keys(more.timing).length > 0 && { timing: more.timing }),
    ...optional("server_ip", isCopy(content, response) ? undefined : text(entry.serverIPAddress, 100)),
    ...optional("http_version", text(response.httpVersion, 50)),
    ...optional("error", failure),
  };
}

/** Whether nothing came over the network: a browser tells of its own copy the server that it once had it from. */
const isCopy = (content: Raw, response: Raw): boolean =>
  number(response._transferSize) === 0 && (number(content.size) ?? 0) > 0;

/** Of the body; where a recorder left its text out (scripts), as it came over the network. */
function sizeOf(content: Raw, response: Raw): number | null {
  const [whole, sent] = [number(content.size), number(response.bodySize)];
  if (whole !== undefined && whole >= 0) return whole;
  return sent !== undefined && sent > 0 ? sent : null;
}

const optional = (key: string, value: string | undefined) => (value === undefined ? {} : { [key]: value });

function handledBy(entry: Raw): string | undefined {
  if (entry._wasFulfilled) return "fulfilled";
  if (entry._wasAborted) return "aborted";
  return entry._wasContinued ? "continued" : undefined;
}

function headersOf(value: unknown): Header[] {
  const headers: Header[] = [];
  for (const item of list(value).slice(0, MOST_HEADERS)) {
    const { name, value: content } = record(item);
    const key = text(name, 500);
    if (key) headers.push({ name: key, value: text(content, LONGEST_HEADER) ?? "" });
  }
  return headers;
}

/** A reference where the archive has the bytes, else the text it holds in place. */
function bodyOf(holder: Raw, resource: (name: string) => string | null): string | undefined {
  const hash = resource(text(holder._file, 1000) ?? "");
  if (hash) return `sha256:${hash}`;
  return holder.encoding === "base64" ? undefined : text(holder.text, LONGEST_INLINE_BODY);
}

const PHASES = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"];

/** Phases in ms; those that did not happen (−1) are left out. */
function timingOf(timings: Raw): Record<string, number> {
  const out: Record<string, number> = {};
  for (const phase of PHASES) {
    const ms = number(timings[phase]);
    if (ms !== undefined && ms >= 0) out[phase] = ms;
  }
  return out;
}

const LONGEST_EXCHANGE = 7 * 24 * 3600 * 1000;

function durationOf(entry: Raw, timing: Record<string, number>): number {
  const total = number(entry.time);
  // HAR counts ssl as a part of connect; Playwright adds it once more, over plain HTTP as well.
  const { ssl = 0, ...phases } = timing;
  const sum = Object.values(phases).reduce((all, ms) => all + ms, 0);
  const isCounted = total !== undefined && total >= 0 && Math.abs(total - sum - ssl) > 0.5;
  return Math.min(isCounted ? total : sum, LONGEST_EXCHANGE);
}
