/** What a search finds a trace by, besides its title. */
export interface SearchColumns {
  title: string;
  failure: string;
  console: string;
  requests: string;
  assertions: string;
  thoughts: string;
  /** Titles of steps. */
  steps: string;
  kinds: readonly string[];
}

/** Text as the full-text index keeps it. */
export type SearchWords = Record<keyof SearchColumns, string>;

/** What the index keeps of a trace's text. */
export function wordsOf(text: SearchColumns): SearchWords {
  return {
    title: clean(text.title),
    failure: clean(text.failure),
    console: clean(text.console),
    requests: clean(text.requests),
    assertions: clean(text.assertions),
    thoughts: clean(text.thoughts),
    steps: clean(text.steps),
    kinds: kindWords(text.kinds),
  };
}

export const kindWords = (kinds: readonly string[]) => kinds.map((kind) => `${TAG}k${hex(kind)}`).join(" ");
export const hex = (text: string) => Buffer.from(text).toString("hex");

/** Text that could pass for a tag would let one trace turn up under another's filter. */
export const clean = (text: string) => text.replace(PRIVATE_USE, " ");

const PRIVATE_USE = /[\uE000-\uF8FF]/g;
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** Begins words that stand for filters: nothing typed or recorded holds it. */
export const TAG = "\uE000";

export const MAX_SEARCH_LENGTH = 1000;

/** Words that follow each other; of a prefix, the last one is a beginning. There is at least one. */
export interface SearchTerm {
  words: string[];
  isPrefix: boolean;
}

/** What the full-text index chooses traces by. Each is one more condition. */
export interface TextFilters {
  orgId: string;
  scenarioId?: string;
  status?: string;
  source?: string;
  signature?: string;
  tier?: string;
  pinned?: boolean;
  notStatus?: string;
  notSource?: string;
  notTier?: string;
  pr?: number;
  /** A commit or its beginning. */
  codeSha?: string;
  region?: string;
  /** In any text. */
  words?: SearchTerm[];
  /** In titles of steps. */
  stepWords?: SearchTerm[];
  /** A kind of event, or a beginning that ends in a star. */
  kind?: string;
}

/**
 * What a person typed as terms that all have to be found: words, `"a b"` as a phrase, a `*` right after a word or phrase
 * makes its last word a beginning, and whatever else is no letter or digit separates words.
 * @returns null when there is no word in it, so that nothing can match. The caller has refused NUL and overlong text.
 */
export function searchTerms(text: string): SearchTerm[] | null {
  const terms: SearchTerm[] = [];
  for (const [, phrase, phraseStar, word] of text.matchAll(/"([^"]*)(?:"(\*?)|$)|([^\s"]+)/g)) {
    const quoted = phrase ?? word ?? "";
    const words = quoted.replace(PRIVATE_USE, " ").match(WORD);
    if (!words) continue;
    terms.push({ words, isPrefix: phrase === undefined ? quoted.endsWith("*") : phraseStar === "*" });
  }
  return terms.length > 0 ? terms : null;
}
