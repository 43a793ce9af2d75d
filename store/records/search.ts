import { sql } from "kysely";
import type { Db } from "./db.ts";

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

/** Indexes the words of a trace in place of those it had. Nothing happens when the trace is gone. */
export async function setSearchText(db: Db, ord: number, text: SearchColumns): Promise<void> {
  await putWords(db, ord, wordsOf(text));
  await db.updateTable("traces").set({ search_version: 1 }).where("ord", "=", ord).execute();
}

/** Puts words that were kept by `wordsOf` into the index. */
export async function putWords(db: Db, ord: number, words: SearchWords): Promise<void> {
  await sql`
    UPDATE traces_fts SET title = ${words.title}, failure = ${words.failure}, console = ${words.console},
      requests = ${words.requests}, assertions = ${words.assertions}, thoughts = ${words.thoughts},
      steps = ${words.steps}, kinds = ${words.kinds}
    WHERE rowid = ${ord}`.execute(db);
}

/** Adds what traces were not indexed by when they were made. */
export async function addStepsAndKinds(
  db: Db,
  ord: number,
  text: Pick<SearchColumns, "steps" | "kinds">,
): Promise<void> {
  await sql`UPDATE traces_fts SET steps = ${clean(text.steps)}, kinds = ${kindWords(text.kinds)}
    WHERE rowid = ${ord}`.execute(db);
  await db.updateTable("traces").set({ search_version: 1 }).where("ord", "=", ord).execute();
}

/** Finished traces that `addStepsAndKinds` was not called for, newest first. */
export async function tracesToIndex(db: Db, limit: number): Promise<{ id: string; ord: number }[]> {
  const { rows } = await sql<{ id: string; ord: number }>`
    SELECT id, ord FROM traces WHERE search_version = 0 AND status NOT IN ('queued', 'running')
    ORDER BY ord DESC LIMIT ${limit}`.execute(db);
  return rows;
}

const kindWords = (kinds: readonly string[]) => kinds.map((kind) => `${TAG}k${hex(kind)}`).join(" ");
const hex = (text: string) => Buffer.from(text).toString("hex");

/** Text that could pass for a tag would let one trace turn up under another's filter. */
const clean = (text: string) => text.replace(PRIVATE_USE, " ");

const PRIVATE_USE = /[\uE000-\uF8FF]/g;
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const TAG = "\uE000";

export const MAX_SEARCH_LENGTH = 1000;

export interface SearchTags {
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
  /** From `searchExpression`. */
  stepWords?: string;
  /** A kind of event, or a beginning that ends in a star. */
  kind?: string;
}

/**
 * What a person typed as an FTS5 expression in which all of it is data: words are ANDed, `"a b"` is a phrase, a `*`
 * right after a word or phrase makes its last word a prefix, and whatever else is no letter or digit separates words.
 * @returns null when there is no word in it, so that nothing can match. The caller has refused NUL and overlong text.
 */
export function searchExpression(text: string): string | null {
  const terms: string[] = [];
  for (const [, phrase, phraseStar, word] of text.matchAll(/"([^"]*)(?:"(\*?)|$)|([^\s"]+)/g)) {
    const quoted = phrase ?? word ?? "";
    const words = quoted.replace(PRIVATE_USE, " ").match(WORD);
    if (!words) continue;
    const isPrefix = phrase === undefined ? quoted.endsWith("*") : phraseStar === "*";
    terms.push(`"${words.join(" ")}"${isPrefix ? "*" : ""}`);
  }
  return terms.length > 0 ? terms.join(" AND ") : null;
}

/** The list's filters as an FTS5 expression. */
export function tagExpression(tags: SearchTags): string {
  const words = [`o${bare(tags.orgId)}`];
  if (tags.scenarioId !== undefined) words.push(`c${bare(tags.scenarioId)}`);
  if (tags.signature !== undefined) words.push(`g${Buffer.from(tags.signature).toString("hex")}`);
  if (tags.status !== undefined) words.push(`s${tags.status}`);
  if (tags.source !== undefined) words.push(`r${tags.source.replaceAll("_", "")}`);
  if (tags.tier !== undefined) words.push(`t${tags.tier}`);
  if (tags.pinned !== undefined) words.push(`p${tags.pinned ? 1 : 0}`);
  if (tags.pr !== undefined) words.push(`n${tags.pr}`);
  if (tags.region !== undefined) words.push(`l${hex(tags.region.toLowerCase())}`);
  const parts = words.map((word) => `"${TAG}${word}"`);
  if (tags.codeSha !== undefined) parts.push(`"${TAG}h${hex(tags.codeSha.toLowerCase())}"*`);
  if (tags.kind !== undefined) {
    const isBeginning = tags.kind.endsWith("*");
    parts.push(`"${TAG}k${hex(isBeginning ? tags.kind.slice(0, -1) : tags.kind)}"${isBeginning ? "*" : ""}`);
  }
  if (tags.stepWords !== undefined) parts.push(`steps : (${tags.stepWords})`);
  return parts.join(" AND ");
}

/** What the list's filters leave out, as an FTS5 expression; null when they leave out nothing. */
export function leftOutExpression(tags: SearchTags): string | null {
  const words: string[] = [];
  if (tags.notStatus !== undefined) words.push(`s${tags.notStatus}`);
  if (tags.notSource !== undefined) words.push(`r${tags.notSource.replaceAll("_", "")}`);
  if (tags.notTier !== undefined) words.push(`t${tags.notTier}`);
  return words.length === 0 ? null : words.map((word) => `"${TAG}${word}"`).join(" OR ");
}

const bare = (id: string) => id.toLowerCase().replaceAll("-", "");
