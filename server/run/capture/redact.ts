import type { Header } from "../../trace/format/event.ts";
import type { TypedValues } from "./typed.ts";

export const MASK = "[redacted]";

const HEADERS = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
const FIELDS = "password|passwd|pwd|secret|token|api_key";
/** A secret shorter than this would mask half of every text. */
const SHORTEST_SECRET = 4;

/** Takes secrets out of what is recorded, before it is kept anywhere; counts what it masked. */
export interface Redactor {
  /** Secrets and configured patterns in any text. */
  text(text: string): string;
  /** A request's or response's body, form or JSON: also the fields that hold passwords and tokens. */
  body(text: string): string;
  url(url: string): string;
  headers(headers: readonly Header[]): Header[];
  /** Every text within a value of JSON. */
  value<T>(value: T): T;
  /** What stands in the place of a value that must not be kept whatever it is. */
  hide(): string;
  /** Whether this is what was typed into a field that nobody is to read. */
  isTyped(value: string): boolean;
  /** Whether a text could hold something to mask; quicker than masking. */
  concerns(text: string): boolean;
  readonly count: number;
}

export interface RedactionRules {
  /** Values by name; each is masked in every form in which it may appear. */
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
  const needles = [...new Set(Object.values(rules.secrets).flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  );
  const secrets = needles.length > 0 ? new RegExp(needles.map(escapeRegExp).join("|"), "g") : null;
  const patterns = rules.patterns.map((pattern) => new RegExp(pattern, "g"));
  const hidden = new Set([...HEADERS, ...rules.headers.map((name) => name.toLowerCase())]);

  function text(value: string): string {
    const untyped = typed ? typed.mask(value, masked) : value;
    let out = secrets ? untyped.replace(secrets, masked) : untyped;
    for (const pattern of patterns) out = out.replace(pattern, (found) => (found === "" ? "" : masked()));
    return out;
  }

  function fields(value: string): string {
    return value
      .replace(JSON_FIELD, (_, before: string) => `${before}"${masked()}"`)
      .replace(FORM_FIELD, (_, before: string) => `${before}${masked()}`)
      .replace(PART_FIELD, (_, before: string) => `${before}${masked()}`);
  }

  function value<T>(given: T): T {
    if (typeof given === "string") return text(given) as T;
    if (Array.isArray(given)) return given.map(value) as T;
    if (given !== null && typeof given === "object")
      return Object.fromEntries(Object.entries(given).map(([key, one]) => [key, value(one)])) as T;
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
    value,
    hide: masked,
    isTyped: (given) => typed?.has(given) ?? false,
    concerns: (given) =>
      patterns.length > 0 ||
      needles.some((needle) => given.includes(needle)) ||
      (typed?.concerns(given) ?? false),
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

/** A secret as it stands in text, in JSON, in addresses, in forms and in markup. */
export function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const encoded = encodeURIComponent(secret);
  const markup = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, encoded.replaceAll("%20", "+"), markup];
}

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
