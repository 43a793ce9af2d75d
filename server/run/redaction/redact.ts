import type { Header } from "../../trace/format/event.ts";
import { maskBytes } from "./bytes.ts";
import { merged, type Span } from "./runs.ts";
import { createSearch, type Search } from "./search.ts";
import type { TypedValues } from "./typed.ts";
import { readEscapes } from "./view.ts";

export const MASK = "[redacted]";

const HEADERS = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
const OWN_NAME = /^[a-z_]+$/i;
const FIELDS = "password|passwd|pwd|secret|token|api_key";
/** A secret shorter than this would mask half of every text: it is not masked. */
const SHORTEST_SECRET = 4;

/** Takes secrets out of what is recorded, before it is kept anywhere; counts what it masked. */
export interface Redactor {
  /** Secrets and configured patterns in any text. */
  text(text: string): string;
  /** A request's or response's body, form or JSON: also the fields that hold passwords and tokens. */
  body(text: string): string;
  url(url: string): string;
  /** Bytes that are no text, with asterisks in the place of secrets. The same array when there is none. */
  bytes(bytes: Uint8Array): Uint8Array;
  headers(headers: readonly Header[]): Header[];
  /** Every text within a value of JSON, the names of its fields too. */
  value<T>(value: T): T;
  /** What stands in the place of a value that must not be kept whatever it is. */
  hide(): string;
  /** Whether this is what was typed into a field that nobody is to read. */
  isTyped(value: string): boolean;
  /** Whether a text could hold something to mask; quicker than masking. */
  concerns(text: string): boolean;
  /** What is masked wherever it stands, as of now. */
  readonly values: readonly { value: string; isWord: boolean }[];
  readonly count: number;
}

export interface RedactionRules {
  /** Values by name; each is masked wherever a text means it (`createSearch`), from four characters on. */
  secrets: Record<string, string>;
  /** Names of further headers. */
  headers: readonly string[];
  /** Regular expressions. */
  patterns: readonly string[];
  /** What is typed into password fields and their like while the run goes on. */
  typed?: TypedValues;
}

/** @throws SyntaxError for a pattern that is no regular expression */
export function createRedactor(rules: RedactionRules): Redactor {
  const { typed } = rules;
  let count = 0;
  const masked = () => {
    count += 1;
    return MASK;
  };
  const secrets = Object.values(rules.secrets).filter(({ length }) => length >= SHORTEST_SECRET);
  const patterns = rules.patterns.map((pattern) => new RegExp(pattern, "g"));
  const hidden = new Set([...HEADERS, ...rules.headers.map((name) => name.toLowerCase())]);
  let search: Search | null = null;
  let known = 0;

  const values = () => [
    ...[...new Set(secrets)].map((value) => ({ value, isWord: false })),
    ...[...(typed?.words ?? [])].map((value) => ({ value, isWord: true })),
  ];

  /** Typed values come while the run goes on. */
  function current(): Search {
    const count = typed?.words.size ?? 0;
    if (search === null || count !== known) search = createSearch(values());
    known = count;
    return search;
  }

  function text(value: string): string {
    const untyped = typed ? typed.mask(value, masked) : value;
    const out = replaceSpans(untyped, current().find(untyped), masked);
    return patterns.length > 0 ? withoutPatterns(out) : out;
  }

  function withoutPatterns(value: string): string {
    let out = value;
    for (const pattern of patterns) out = out.replace(pattern, (found) => (found === "" ? "" : masked()));
    const view = readEscapes(out);
    if (!view) return out;
    const spans = patterns.flatMap((pattern) =>
      [...view.text.matchAll(pattern)].flatMap((found) =>
        found[0] === "" ? [] : [view.spanOf(found.index, found.index + found[0].length)],
      ),
    );
    return replaceSpans(out, merged(spans), masked);
  }

  function fields(value: string): string {
    return value
      .replace(JSON_FIELD, (_, before: string) => `${before}"${masked()}"`)
      .replace(FORM_FIELD, (_, before: string) => `${before}${masked()}`)
      .replace(PART_FIELD, (_, before: string) => `${before}${masked()}`);
  }

  /** Our own fields have words for names; those of pages may have anything. */
  const nameOf = (name: string): string => (OWN_NAME.test(name) ? name : text(name));

  function value<T>(given: T): T {
    if (typeof given === "string") return text(given) as T;
    if (Array.isArray(given)) return given.map(value) as T;
    if (given !== null && typeof given === "object")
      return Object.fromEntries(Object.entries(given).map(([key, one]) => [nameOf(key), value(one)])) as T;
    return given;
  }

  return {
    text,
    body: (given) => fields(text(given)),
    url: (given) => text(given.replace(FORM_FIELD, (_, before: string) => `${before}${masked()}`)),
    headers: (given) =>
      given.map((header) =>
        hidden.has(header.name.toLowerCase())
          ? { name: header.name, value: masked() }
          : { name: header.name, value: text(header.value) },
      ),
    bytes: (given) => maskBytes(given, current(), masked),
    value,
    hide: masked,
    isTyped: (given) => typed?.has(given) ?? false,
    concerns: (given) => patterns.length > 0 || current().has(given) || (typed?.concerns(given) ?? false),
    get values() {
      return values();
    },
    get count() {
      return count;
    },
  };
}

const JSON_FIELD = new RegExp(
  `("(?:${FIELDS})"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*|true|false)`,
  "gi",
);
const FORM_FIELD = new RegExp(`((?:^|[?&])(?:${FIELDS})=)[^&#\\s]+`, "gi");
const PART_FIELD = new RegExp(`(name="(?:${FIELDS})"\\r?\\n\\r?\\n)[^\\r\\n]+`, "gi");

function replaceSpans(text: string, spans: readonly Span[], masked: () => string): string {
  if (spans.length === 0) return text;
  let out = "";
  let at = 0;
  for (const { from, to } of spans) {
    out += text.slice(at, from) + masked();
    at = to;
  }
  return out + text.slice(at);
}
