import { isRecord } from "./http.ts";
import type { CloneResponse } from "./types.ts";

/** A larger file is no recording of a few requests. */
export const LARGEST_HAR = 64 * 1024 * 1024;
const MOST_RECORDED = 20_000;

/** A request of a HAR (version 1.2) with its answer. */
export interface Recorded {
  method: string;
  url: URL;
  /** Text of the request's body; null when it had none. */
  body: string | null;
  response: CloneResponse;
}

/** Headers that speak of how an answer travelled then, not of the answer. */
const DROPPED =
  /^(?:content-(?:encoding|length)|transfer-encoding|connection|keep-alive|alt-svc|strict-transport-security|:.*)$/i;

/** @throws Error that says what is wrong with the file */
export function readHar(text: string): Recorded[] {
  if (text.length > LARGEST_HAR) throw new Error("it is larger than 64 MiB");
  let har: unknown;
  try {
    har = JSON.parse(text);
  } catch {
    throw new Error("it is no JSON");
  }
  const log = isRecord(har) ? har.log : undefined;
  const entries = isRecord(log) ? log.entries : undefined;
  if (!Array.isArray(entries)) throw new Error("it has no log.entries");
  if (entries.length > MOST_RECORDED) throw new Error(`it has more than ${MOST_RECORDED} entries`);
  return entries.flatMap((entry, at) => readEntry(entry, at) ?? []);
}

/** Null for a request that was not answered. */
function readEntry(entry: unknown, at: number): Recorded | null {
  const request = isRecord(entry) ? entry.request : undefined;
  const response = isRecord(entry) ? entry.response : undefined;
  if (!isRecord(request) || !isRecord(response)) throw new Error(`entry ${at} has no request and response`);
  const url = URL.parse(String(request.url));
  if (!url) throw new Error(`entry ${at} has no address`);
  const status = Number(response.status);
  if (!(status >= 200 && status <= 599)) return null;
  const post = request.postData;
  const content = isRecord(response.content) ? response.content : {};
  const body = String(content.text ?? "");
  return {
    method: String(request.method ?? "GET").toUpperCase(),
    url,
    body: isRecord(post) && typeof post.text === "string" ? post.text : null,
    response: {
      status,
      headers: headersOf(response.headers, content.mimeType),
      body: content.encoding === "base64" ? Buffer.from(body, "base64") : body,
    },
  };
}

function headersOf(given: unknown, type: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const header of Array.isArray(given) ? given : []) {
    if (!isRecord(header)) continue;
    const name = String(header.name).toLowerCase();
    const value = String(header.value ?? "");
    if (DROPPED.test(name) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value)) continue;
    headers[name] = value;
  }
  if (typeof type === "string" && /^[\w.+-]+\/[\w.+-]+/.test(type) && !/[\r\n\0]/.test(type))
    headers["content-type"] ??= type;
  return headers;
}
