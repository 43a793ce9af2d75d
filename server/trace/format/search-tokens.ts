import { readMoment, readRange } from "./search-values.ts";

/** What a token may be called, in the order in which filters are written out. */
export const TOKEN_NAMES = [
  "status",
  "sig",
  "scenario",
  "source",
  "tier",
  "pinned",
  "after",
  "before",
  "pr",
  "sha",
  "region",
  "step",
  "kind",
  "dur",
  "size",
] as const;
export type TokenName = (typeof TOKEN_NAMES)[number];

/** Values of tokens, `-` before the value of one that is negated, and the words around them. */
export type SearchFilters = Partial<Record<TokenName, string>> & { words: string };

/** A piece of a search text. Pieces and the spaces between them are the whole text. */
export interface SearchTerm {
  start: number;
  end: number;
  token: { name: TokenName; value: string; isNegated: boolean } | null;
  /** What is wrong with the token, and what would be right. */
  error: string | null;
}

interface Rule {
  /** What it narrows to, for whoever chooses one. */
  about: string;
  example: string;
  values?: readonly string[];
  canNegate?: boolean;
  /** What is wrong with a value; null when it is right. */
  check?: (value: string, now: number) => string | null;
}

const oneOf = (values: readonly string[]) => (value: string) =>
  values.includes(value) ? null : `is one of ${values.join(", ")}`;
const matching = (pattern: RegExp, right: string) => (value: string) => (pattern.test(value) ? null : right);
const MOMENT =
  "takes a day (2026-03-31), a time (2026-03-31T14:00), today, yesterday, or an age such as 24h, 7d, 2w";
const moment = (value: string, now: number) => (readMoment(value, now) === null ? MOMENT : null);
const range = (unit: "ms" | "bytes", right: string) => (value: string) =>
  readRange(value, unit) ? null : right;

const STATUSES = ["failed", "error", "passed", "running", "queued", "aborted"];
const SOURCES = ["pr", "schedule", "manual", "shadow_diff"];
const TIERS = ["hot", "warm", "cold"];

export const TOKENS: Readonly<Record<TokenName, Rule>> = {
  status: choice("how it ended", STATUSES),
  sig: { about: "failure signature", example: "sig:sig_0123456789abcdef" },
  scenario: { about: "slug of a scenario", example: "scenario:checkout" },
  source: choice("where it came from", SOURCES),
  tier: choice("where it is kept", TIERS),
  pinned: { ...choice("kept past its time", ["true", "false"]), canNegate: false },
  after: { about: "made at that time or later", example: "after:7d", check: moment },
  before: { about: "made before that time", example: "before:2026-03-31", check: moment },
  pr: {
    about: "number of a pull request",
    example: "pr:482",
    check: matching(/^\d{1,10}$/, "takes the number of a pull request: pr:482"),
  },
  sha: {
    about: "commit, or its beginning",
    example: "sha:4d07b3f",
    check: matching(
      /^[\da-z._-]{3,64}$/i,
      "takes a commit or at least 3 characters of its beginning: sha:4d07b3f",
    ),
  },
  region: { about: "where it ran", example: "region:eu-west-1" },
  step: {
    about: "words in the title of a step",
    example: 'step:"add to cart"',
    check: matching(/[\p{L}\p{N}]/u, 'takes words of a step: step:"add to cart"'),
  },
  kind: {
    about: "kind of event in it",
    example: "kind:console.error",
    check: matching(/^[^*,]+\*?$/, "takes one kind, or a beginning that ends in *: kind:network.*"),
  },
  dur: {
    about: "how long it took",
    example: "dur:>5s",
    check: range("ms", "takes a duration: dur:>5s, dur:<=500ms, dur:1m..5m"),
  },
  size: {
    about: "how much it keeps",
    example: "size:>10MB",
    check: range("bytes", "takes a size: size:>10MB, size:<=500kB, size:1MB..1GB"),
  },
};

function choice(about: string, values: readonly string[]): Rule {
  return { about, example: "", values, canNegate: true, check: oneOf(values) };
}

/** Longest value of a token. */
const MAX_VALUE = 200;
/** A name with a colon and a value in quotes or up to a space; or words: a phrase in quotes, or up to a space. */
const PIECE = /(-?)([a-z]+):("[^"]*"?|[^\s"]*)(?=\s|$)|"[^"]*(?:"\*?|$)|[^\s"]+/gi;

const isTokenName = (name: string): name is TokenName => Object.hasOwn(TOKENS, name);

/** The pieces of what a person typed. Whatever is no token is words, so that nothing typed is refused. @param now epoch ms */
export function parseSearch(text: string, now: number): SearchTerm[] {
  const terms: SearchTerm[] = [];
  const seen = new Set<TokenName>();
  for (const match of text.matchAll(PIECE)) {
    const place = { start: match.index, end: match.index + match[0].length };
    const name = match[2]?.toLowerCase();
    if (name === undefined || !isTokenName(name)) {
      terms.push({ ...place, token: null, error: null });
      continue;
    }
    const value = match[3]!.replaceAll('"', "").trim();
    const isNegated = match[1] === "-";
    const error =
      problemOf(name, value, isNegated, now) ?? (seen.has(name) ? `${name}: is there already` : null);
    if (error === null) seen.add(name);
    terms.push({ ...place, token: { name, value, isNegated }, error });
  }
  return terms;
}

function problemOf(name: TokenName, value: string, isNegated: boolean, now: number): string | null {
  const { check, canNegate, example, values } = TOKENS[name];
  if (isNegated && !canNegate)
    return `${name}: cannot be left out with a minus; -status:, -source: and -tier: can`;
  if (value === "") return `${name}: wants a value${values ? ` (${values.join(", ")})` : `: ${example}`}`;
  if (value.length > MAX_VALUE) return `${name}: takes at most ${MAX_VALUE} characters`;
  const problem = check?.(value, now);
  return problem ? `${name}: ${problem}` : null;
}

/** The filters that a text stands for. Tokens with an error count as words, so that none of what was typed is lost. */
export function readSearch(text: string, now: number): SearchFilters {
  const filters: SearchFilters = { words: "" };
  let lastEnd = -1;
  for (const { start, end, token, error } of parseSearch(text, now)) {
    if (token !== null && error === null) {
      filters[token.name] = (token.isNegated ? "-" : "") + token.value;
      continue;
    }
    // Pieces that touch stay together, or they might mean something else.
    filters.words += (start === lastEnd || filters.words === "" ? "" : " ") + text.slice(start, end);
    lastEnd = end;
  }
  return filters;
}

/** The text that stands for filters; `readSearch` reads the same filters from it. */
export function writeSearch(filters: SearchFilters): string {
  const tokens = TOKEN_NAMES.flatMap((name) => {
    const value = filters[name];
    return value ? [writeToken(name, value)] : [];
  });
  return [...tokens, filters.words].filter((part) => part !== "").join(" ");
}

/** One token as it is typed. @param value with `-` before it when it is to be left out */
export function writeToken(name: TokenName, value: string): string {
  const isNegated = TOKENS[name].canNegate === true && value.startsWith("-");
  const plain = (isNegated ? value.slice(1) : value).replaceAll('"', " ");
  return `${isNegated ? "-" : ""}${name}:${/\s/.test(plain) ? `"${plain}"` : plain}`;
}

/** Query parameters of `GET /v1/traces` for a search. Words that look like a token with an error are left out. */
export function searchParameters(filters: SearchFilters, now: number): Record<string, string> {
  const query: Record<string, string> = {};
  const put = (name: string, value: string | number | null | undefined) => {
    if (value !== undefined && value !== null && value !== "") query[name] = String(value);
  };
  for (const name of ["status", "source", "tier"] as const) {
    const value = filters[name] ?? "";
    if (value.startsWith("-")) put(`not_${name}`, value.slice(1));
    else put(name, value);
  }
  put("signature", filters.sig);
  put("scenario", filters.scenario);
  put("pinned", filters.pinned);
  put("from", isoOf(filters.after, now));
  put("to", isoOf(filters.before, now));
  put("pr", filters.pr);
  put("code_sha", filters.sha);
  put("region", filters.region);
  put("step", filters.step);
  put("kind", filters.kind);
  const duration = filters.dur ? readRange(filters.dur, "ms") : null;
  put("min_duration_ms", duration?.min);
  put("max_duration_ms", duration?.max);
  const size = filters.size ? readRange(filters.size, "bytes") : null;
  put("min_size", size?.min);
  put("max_size", size?.max);
  const words = parseSearch(filters.words, now).filter(({ error }) => error === null);
  put("q", words.map(({ start, end }) => filters.words.slice(start, end)).join(" "));
  return query;
}

function isoOf(value: string | undefined, now: number): string | null {
  const at = value ? readMoment(value, now) : null;
  return at === null ? null : new Date(at).toISOString();
}
