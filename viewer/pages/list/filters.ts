import { computed, signal } from "@preact/signals";
import {
  parseSearch,
  readSearch,
  type SearchFilters,
  searchParameters,
  TOKEN_NAMES,
  type TokenName,
  writeSearch,
} from "../../../server/trace/format/search-tokens.ts";
import { readMoment } from "../../../server/trace/format/search-values.ts";
import { query, setQuery } from "../../router.ts";

/** What the list is narrowed to; lives in the address, one key per token. */
export type Filters = SearchFilters;

/** Keys of the address that are not called like their token. */
const ADDRESS_KEYS: Partial<Record<TokenName | "words", string>> = { sig: "signature", words: "q" };
const keyOf = (name: TokenName | "words"): string => ADDRESS_KEYS[name] ?? name;
/** Keys that addresses of old have for `after` and `before`. */
const OLD_KEYS = ["since", "from", "to"];

export const filters = computed<Filters>(() => {
  const given = query.value;
  // Tokens may also stand among the words of an address that somebody wrote.
  const found = readSearch(given.get("q") ?? "", Date.now());
  for (const name of TOKEN_NAMES) {
    const value = given.get(keyOf(name));
    if (value) found[name] = value;
  }
  const old = given.get("since") || given.get("from");
  if (old) found.after ??= old;
  const lastDay = given.get("to");
  if (lastDay) found.before ??= dayAfter(lastDay, 1);
  // What no token may hold becomes words, which say what is wrong with it.
  return readSearch(writeSearch(found), Date.now());
});

/** The filters as they are typed into the search field. */
export const searchText = computed(() => writeSearch(filters.value));

export const isFiltered = computed(() => searchText.value !== "");

/** The term that is being typed, which may become right with the next letter. */
export const termAtCaret = signal("");

/** Tokens that are typed wrongly, each with what would be right. */
export const searchErrors = computed(() =>
  parseSearch(filters.value.words, Date.now()).flatMap(({ start, end, error }) => {
    const text = filters.value.words.slice(start, end);
    return error === null || text === termAtCaret.value ? [] : [{ text, error }];
  }),
);

function write(next: Filters, options: { replace?: boolean }): void {
  const all: (TokenName | "words")[] = [...TOKEN_NAMES, "words"];
  setQuery(
    {
      ...Object.fromEntries(OLD_KEYS.map((key) => [key, null])),
      ...Object.fromEntries(all.map((name) => [keyOf(name), next[name] ?? null])),
    },
    options,
  );
}

/** Sets some filters; "" removes one. Typing replaces the address, choosing adds to the history. */
export function setFilters(changes: Partial<Filters>, options: { replace?: boolean } = {}): void {
  write({ ...filters.peek(), ...changes }, options);
}

/** Sets all filters to what was typed. */
export function setSearchText(text: string, options: { replace?: boolean } = {}): void {
  write(readSearch(text, Date.now()), options);
}

export function clearFilters(): void {
  write({ words: "" }, {});
}

export const PERIODS: { value: string; label: string }[] = [
  { value: "", label: "Any time" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day, when the value is one. */
export const dayOf = (value: string | undefined): string => (value && DAY.test(value) ? value : "");

/** A day so many days later, `YYYY-MM-DD`; the text as it is when it is no day. */
export function dayAfter(day: string, days: number): string {
  if (!DAY.test(day) || readMoment(day, 0) === null) return day;
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, date + days)).toISOString().slice(0, 10);
}

/** The filters as `GET /v1/traces` takes them. */
export function toApiQuery(chosen: Filters, now: number): Record<string, string | undefined> {
  return searchParameters(chosen, now);
}
