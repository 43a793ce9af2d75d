import { cut } from "../../error-text.ts";
import { type Header, numberIn, type StackFrame } from "../../event.ts";

/** Characters of a text. */
export const MAX_TEXT = 4_096;
/** Of the params of a step and the fields of a happening. */
const MOST_FIELDS = 50;
const REFERENCE = /^sha256:[0-9a-f]{64}$/;
/** What servers call each request by: two answers with one such id are one answer and a copy of it. */
export const REQUEST_IDS: ReadonlySet<string> = new Set(
  "x-request-id x-correlation-id x-amzn-requestid x-amz-request-id cf-ray".split(" "),
);
const KEPT_HEADERS = new Set(
  "host :authority etag if-none-match if-match if-unmodified-since idempotency-key prefer location x-frame-options content-type content-length content-encoding set-cookie cookie authorization retry-after date last-modified age x-cache cf-cache-status cache-control vary content-disposition access-control-allow-origin access-control-expose-headers link content-security-policy accept-language origin server x-powered-by clear-site-data service-worker cross-origin-opener-policy cross-origin-embedder-policy cross-origin-resource-policy permissions-policy referrer-policy".split(
    " ",
  ),
);
/** What products say in headers of their own. What follows a request through machines differs each time. */
const OWN_HEADER =
  /^hx-|^x-(?!forwarded|real-ip|request|correlation|trace|b3|amz|datadog|cloud|client-data|runtime|sent|served|timer)/;
/** Characters of a name. */
export const LONGEST_NAME = 300;

/** A text, cut; null for an empty one and for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? cut(value, MAX_TEXT) : null;
}

/**
 * Of the params of a step, or the fields of a happening, what is short: texts by their beginning, objects and lists only when they
 * are small.
 */
export function fieldsOf(given: Record<string, unknown>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  let room = 2 * MAX_TEXT;
  for (const [name, value] of Object.entries(given).slice(0, MOST_FIELDS)) {
    const text = typeof value === "object" ? JSON.stringify(value) : null;
    if (name.length > LONGEST_NAME || (text?.length ?? 0) > MAX_TEXT) continue;
    const short = typeof value === "string" ? cut(value, MAX_TEXT) : value;
    room -= text?.length ?? (typeof short === "string" ? short.length : 0);
    if (room < 0) break;
    fields[name] = short;
  }
  return fields;
}

/** A finite number; null for anything else. */
export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Headers that rules look at, by names in small letters. */
export function headersOf(value: unknown): Header[] {
  return listOf(value)
    .slice(0, 300)
    .map(recordOf)
    .flatMap(({ name, value: content }) => {
      const key = textOf(name)?.toLowerCase();
      return key && (KEPT_HEADERS.has(key) || REQUEST_IDS.has(key) || OWN_HEADER.test(key))
        ? [{ name: key, value: textOf(content) ?? "" }]
        : [];
    });
}

/** One frame of a stack, or none where it names no file. */
export function frameOf(value: unknown): StackFrame[] {
  const { file, line, column, function: name, source } = recordOf(value);
  if (typeof file !== "string") return [];
  return [
    {
      file: cut(file, 1_000),
      line: numberIn(line) || 0,
      column: numberIn(column) || 0,
      ...(typeof name === "string" && { function: cut(name, 300) }),
      ...(typeof source === "string" && REFERENCE.test(source) && { source }),
    },
  ];
}
