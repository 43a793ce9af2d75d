import { CodeHostError } from "./types.ts";

const SHOWN = 300;
const MINUTE_MS = 60_000;
/** What a host asks for further ahead is a mistake, or a clock that jumped: work that waited for it would wait for ever. */
export const LONGEST_LIMIT_MS = 2 * 60 * MINUTE_MS;

interface Refused {
  route: string;
  response: Pick<Response, "status" | "headers">;
  text: string;
  /** Epoch ms. */
  now: number;
}

/**
 * What a refusal of the host means to us, in words that hold no credential.
 * Limits: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export function refusal({ route, response, text, now }: Refused, secret: string): CodeHostError {
  const { status, headers } = response;
  const said = messageOf(text).replaceAll(secret, "…");
  const words = `The code host answered “${route}” with ${status}${said === "" ? "" : `: ${said}`}`;
  const isLimit = status === 429 || (status === 403 && (isUsedUp(headers) || /rate limit|abuse/i.test(said)));
  if (isLimit)
    return new CodeHostError("limited", words, Math.min(retryAt(headers, now), now + LONGEST_LIMIT_MS));
  if (status === 401) return new CodeHostError("unauthorized", words, null, { isCredential: true });
  if (status === 403) return new CodeHostError("unauthorized", words);
  if (status === 404 || status === 410) return new CodeHostError("not_found", words);
  if (status === 409) return new CodeHostError("conflict", words);
  return new CodeHostError(status >= 500 ? "unreachable" : "refused", words);
}

const isUsedUp = (headers: Headers): boolean =>
  headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0";

/** Seconds, a date, or the second at which the hour's allowance begins anew; a minute where the host does not say. */
function retryAt(headers: Headers, now: number): number {
  const after = headers.get("retry-after");
  if (after !== null && /^\d{1,9}$/.test(after.trim())) return now + Number(after) * 1000;
  const date = after === null ? Number.NaN : Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(now, date);
  const reset = headers.get("x-ratelimit-reset");
  if (headers.get("x-ratelimit-remaining") === "0" && reset !== null && /^\d{1,12}$/.test(reset))
    return Math.max(now, Number(reset) * 1000);
  return now + MINUTE_MS;
}

/** What the host says of it, with the fields that it did not take. */
function messageOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "";
  }
  if (typeof body !== "object" || body === null || !("message" in body)) return "";
  const errors = "errors" in body && Array.isArray(body.errors) ? body.errors : [];
  const more = errors.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ");
  return `${String(body.message)}${more === "" ? "" : ` (${more})`}`.slice(0, SHOWN);
}
