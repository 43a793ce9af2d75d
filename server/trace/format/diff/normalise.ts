import { plainText } from "../error-text.ts";

/** Replaces what differs between two runs that did the same. Numbers that may mean something, statuses first, stay. */
export interface Normaliser {
  text(text: string): string;
  /** Without the own host and any port; variable path segments and the values of the query replaced. */
  url(url: string): string;
  /** Every text in a JSON value normalised; ids, times and tokens known by the name of their key replaced. */
  json(value: unknown): unknown;
}

const MAX_TEXT = 4_096;
const MAX_DEPTH = 20;
/** Texts and addresses of a trace repeat. */
const MOST_KEPT = 20_000;

const URL_TEXT = /\b(?:https?|wss?|file|blob):\/{0,2}[^\s"'`<>()]+/g;
/** A path with a query, as titles of steps show it; none begins right after what was replaced. */
const RELATIVE_URL = /(?<![\w/.>])\/[^\s"'`<>()?]{0,1000}\?[^\s"'`<>()]+/g;
const TEMP_PATH =
  /(?:[A-Za-z]:)?[\\/](?:(?:private[\\/])?(?:tmp|var[\\/](?:folders|tmp))|Users[\\/][^\\/\s]+[\\/]AppData[\\/]Local[\\/]Temp)[\\/][^\s"'`<>():]*/gi;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIMESTAMP =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\b\.?)?/g;
// Bounded and begun at a border: a long text with many points costs no more than another.
const PORT = /(?<![\w.-])(localhost|\d{1,3}(?:\.\d{1,3}){3}|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):\d{2,5}\b/g;
const DURATION = /(?<![\w.])\d+(?:\.\d+)?\s?(?:ms|µs|ns|s|sec|secs|seconds?|milliseconds?|minutes?)\b/g;
// A status must never look like an id, whatever stands before it.
const STATUS = "(?![1-5]\\d\\d(?!\\w))";
const PREFIXED = new RegExp(`\\b([a-z]{2,12}_)${STATUS}(?=[A-Za-z]*\\d)[0-9A-Za-z]+\\b`, "g");
const NUMBERED = new RegExp(`#${STATUS}\\d+\\b`, "g");
/** What orders, tickets and invoices are called by. */
const COUNTED = new RegExp(`\\b([A-Z]{1,6}-)${STATUS}\\d{3,}\\b`, "g");
const WORDS = /[0-9A-Za-z]{7,}/g;

const VARYING = new Set(
  "id ids uuid guid token nonce hash sha sha1 sha256 etag digest signature timestamp ts at time date session csrf cursor seed port".split(
    " ",
  ),
);

/**
 * @param host of the site under test, port left out: its addresses are told by their path, so that two deployments of
 * one site compare; null when it is not known
 * @param made words that are known to be ids of one run: they are replaced wherever they stand alone
 */
export function createNormaliser(host: string | null, made: readonly string[] = []): Normaliser {
  const ids = new Set(made);
  const orId = (word: string) => (ids.has(word) ? ANY_ID : word);
  const named = (raw: string) =>
    ids.size === 0
      ? raw
      : raw.replace(/[\w-]+/g, (word) => (ids.has(word) ? ANY_ID : word.replace(/[^-]+/g, orId)));
  const withoutNames = (raw: string) =>
    ids.size === 0 ? raw : raw.replace(OF_FILE, (all, word) => (ids.has(word) ? ANY_ID : all));
  // Addresses differ more than what they are made of.
  const parts = { segment: kept((raw) => segment(withoutNames(raw))), name: kept(withoutVariables) };
  const url = kept((raw) => normaliseUrl(named(raw), host, parts));
  const text = kept((raw) =>
    withoutVariables(
      named(plainText(raw, MAX_TEXT))
        .replace(URL_TEXT, (found) => url(found))
        .replace(RELATIVE_URL, (found) => url(found)),
    )
      .replace(/\s+/g, " ")
      .trim(),
  );

  function json(value: unknown, depth = 0): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return isLong(value) ? "<id>" : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) return "…";
    if (Array.isArray(value)) return value.map((one) => json(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        withoutVariables(key),
        isVarying(key) && (typeof one === "string" || typeof one === "number")
          ? "<id>"
          : json(one, depth + 1),
      ]),
    );
  }

  return { text, url, json: (value) => json(value) };
}

/** Replaces nothing: what was paired by a normaliser is told apart by every character. */
export const RAW: Normaliser = { text: (text) => text, url: (url) => url, json: (value) => value };

/** Stands for a word that is known to be an id, until every id is replaced. */
const ANY_ID = "00000000-0000-4000-8000-000000000000";

type Made = (raw: string) => string;

/** Remembers what was made of the first texts. */
function kept(make: Made): Made {
  const made = new Map<string, string>();
  return (raw) => {
    const known = made.get(raw);
    if (known !== undefined) return known;
    const one = make(raw);
    if (made.size < MOST_KEPT) made.set(raw, one);
    return one;
  };
}

/** The host of an absolute web address; null for anything else. */
export function hostOf(url: string): string | null {
  const parsed = /^https?:/i.test(url) ? URL.parse(url) : null;
  return parsed ? parsed.hostname : null;
}

function withoutVariables(text: string): string {
  return text
    .replace(TEMP_PATH, "<temp>")
    .replace(UUID, "<id>")
    .replace(PORT, "$1")
    .replace(TIMESTAMP, "<time>")
    .replace(DURATION, "<duration>")
    .replace(PREFIXED, "$1<id>")
    .replace(NUMBERED, "#<id>")
    .replace(COUNTED, "$1<id>")
    .replace(WORDS, (word) => (isVariable(word) ? "<id>" : word));
}

function normaliseUrl(raw: string, host: string | null, parts: { segment: Made; name: Made }): string {
  const segments = (text: string) => text.split("/").map(parts.segment).join("/");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1]?.toLowerCase();
  if (scheme === "data") return `data:${/^data:([^;,]{0,100})/i.exec(raw)?.[1] ?? ""}`;
  if (scheme === "blob") return "blob:<id>";
  const isWeb = scheme === undefined || /^(?:https?|wss?)$/.test(scheme);
  const parsed = isWeb ? URL.parse(raw, "http://relative.invalid") : null;
  if (!parsed) return withoutVariables(raw.replace(/[?#].*$/s, ""));
  const isOwn = parsed.hostname === host || parsed.hostname === "relative.invalid";
  // Two slashes at its beginning would read as a host.
  const path = segments(parsed.pathname.replace(/^\/+/, "/"));
  const names = [...new Set(parsed.searchParams.keys())].map(parts.name).sort();
  const query = names.length > 0 ? `?${names.map((name) => `${name}=*`).join("&")}` : "";
  // An empty one stays: what follows it in a text, `<id>` say, would otherwise move up to the query.
  const fragment = raw.includes("#") ? segments(parsed.hash.replace(/\?.*/s, "")) || "#" : "";
  return `${isOwn ? "" : `//${parsed.hostname}`}${path}${query}${fragment}`;
}

function segment(text: string): string {
  if (/^\d+$/.test(text)) return /^[45]\d\d$/.test(text) ? text : "<id>";
  return withoutVariables(text.replace(OF_CONTENT, `$1${ANY_ID}`))
    .split(/([.\-_~])/)
    .map((part) => (isHash(part) || /^\d{4,}$/.test(part) ? "<id>" : part))
    .join("");
}

/** What bundlers put before the ending of a file's name, by its content: each build has others, whatever it changed. */
export const OF_CONTENT =
  /([-.])(?:[A-Z\d]{8}|(?=\w*\d)(?:[\da-f]{8,64}|\w{8,12})|(?=[\w-]{0,7}\d|[\w-]{0,6}[a-z\d_][A-Z])[\w-]{8})(?=\.(?:m?js|css)$)/;

/** The same place in a name, whatever stands there. */
const OF_FILE = /(?<=[-.])([\w-]{8}|\w{9,12})(?=\.(?:m?js|css)$)/;

/** What bundlers put into other names: eight or more letters of both cases and digits. */
function isHash(part: string): boolean {
  return part.length >= 8 && /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[0-9A-Za-z]+$/.test(part);
}

/** Hex digits, long numbers, and letters and digits that change places too often for a word. */
function isVariable(word: string): boolean {
  if (/^\d+$/.test(word)) return word.length >= 9;
  if (!/\d/.test(word)) return false;
  if (/^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$/.test(word)) return true;
  if (word.length < 10) return false;
  return (word.match(/\d(?=\D)|\D(?=\d)/g)?.length ?? 0) >= 3;
}

function isLong(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) >= 1e9;
}

function isVarying(key: string): boolean {
  const last = key.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g)?.at(-1);
  return last !== undefined && VARYING.has(last.toLowerCase());
}
