import { sql } from "kysely";
import { hex, type SearchTerm, type SearchWords, TAG, type TextFilters } from "../../search-text.ts";
import type { FullText } from "../types.ts";
import { clearOldWords } from "./old-words.ts";

/**
 * Search by FTS5. The table `traces_fts` has the rows of `traces` under their `ord`; triggers keep the list's filters in it
 * as words, so that a common word with a rare filter walks the rare one.
 */
export const fullText: FullText = {
  clearOldWords,

  async put(db, ord, words) {
    const columns = Object.entries(words).map(([name, text]) => sql`${sql.ref(name)} = ${text}`);
    await sql`UPDATE traces_fts SET ${sql.join(columns)} WHERE rowid = ${ord}`.execute(db);
  },

  async read(db, ord) {
    const { rows } = await sql<Record<keyof SearchWords, string | null>>`
      SELECT title, failure, console, requests, assertions, thoughts, steps, kinds
      FROM traces_fts WHERE rowid = ${ord}`.execute(db);
    return rows[0] ?? {};
  },

  /**
   * The filters are asked of the row again, lest text that passes for a tag shows what it must not. The org's own tag is
   * in every row where there is no other org: then looking for a rare word would walk the whole of its list.
   */
  walk({ columns, filters, equal, range, limit, isOldestFirst = false }) {
    const org = `"${TAG}o${bare(filters.orgId)}"`;
    const parts = tagParts(filters);
    if (filters.words !== undefined) parts.push(expression(filters.words));
    const leftOut = leftOutExpression(filters);
    const match = (wanted: readonly string[]) => {
      const words = wanted.join(" AND ");
      return leftOut === null ? words : `(${words}) NOT (${leftOut})`;
    };
    const text = `SELECT ${columns("t")} FROM traces_fts f CROSS JOIN traces t ON t.ord = f.rowid
    WHERE f.traces_fts MATCH iif((SELECT min(org_id) FROM traces) = ? AND (SELECT max(org_id) FROM traces) = ?, ?, ?)
    AND f.rowid >= ? AND f.rowid < ? AND t.org_id = ?${equal
      .map(([column]) => ` AND t.${column} = ?`)
      .join("")} ORDER BY f.rowid ${isOldestFirst ? "ASC" : "DESC"} LIMIT ?`;
    return {
      sql: text,
      parameters: [
        filters.orgId,
        filters.orgId,
        match(parts.length === 0 ? [org] : parts),
        match([org, ...parts]),
        ...range,
        filters.orgId,
        ...equal.map(([, value]) => value),
        limit,
      ],
    };
  },

  /** The plus keeps the scan inside the period: one lookup per hit would be many times slower. */
  namesFailure: (terms) => ({
    sql: "+ord IN (SELECT rowid FROM traces_fts WHERE traces_fts MATCH ?)",
    parameters: [`{title failure} : (${expression(terms)})`],
  }),
};

/** Terms as an FTS5 expression in which all of them is data: ordinary text such as `C++` or `-foo` is none. */
const expression = (terms: readonly SearchTerm[]) =>
  terms.map(({ words, isPrefix }) => `"${words.join(" ")}"${isPrefix ? "*" : ""}`).join(" AND ");

/** The list's filters but for the org, as FTS5 expressions. */
function tagParts(tags: TextFilters): string[] {
  const words: string[] = [];
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
  if (tags.stepWords !== undefined) parts.push(`steps : (${expression(tags.stepWords)})`);
  return parts;
}

/** What the list's filters leave out, as an FTS5 expression; null when they leave out nothing. */
function leftOutExpression(tags: TextFilters): string | null {
  const words: string[] = [];
  if (tags.notStatus !== undefined) words.push(`s${tags.notStatus}`);
  if (tags.notSource !== undefined) words.push(`r${tags.notSource.replaceAll("_", "")}`);
  if (tags.notTier !== undefined) words.push(`t${tags.notTier}`);
  return words.length === 0 ? null : words.map((word) => `"${TAG}${word}"`).join(" OR ");
}

const bare = (id: string) => id.toLowerCase().replaceAll("-", "");
