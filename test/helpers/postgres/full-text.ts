import { sql } from "kysely";
import type { FullText } from "../../../store/records/engine/types.ts";
import { hex, type SearchTerm, type SearchWords, TAG } from "../../../store/records/search-text.ts";

const COLUMNS = [
  ...["title", "failure", "console", "requests"],
  ...["assertions", "thoughts", "steps", "kinds"],
] as (keyof SearchWords)[];

/** The words of a trace under its `ord`, and those of its title from the beginning. */
export const FULL_TEXT_SCHEMA = `
  CREATE TABLE traces_words (
    ord BIGINT PRIMARY KEY REFERENCES traces (ord) ON DELETE CASCADE,
    ${COLUMNS.map((name) => `${name} TEXT`).join(", ")}
  );
  CREATE FUNCTION traces_words_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO traces_words (ord, title) VALUES (new.ord, new.scenario_title);
    RETURN NULL;
  END $$;
  CREATE TRIGGER traces_words_insert AFTER INSERT ON traces FOR EACH ROW EXECUTE FUNCTION traces_words_insert();
  -- Letters without their marks, as FTS5 takes them.
  CREATE FUNCTION words_of(given TEXT) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT to_tsvector('simple', regexp_replace(normalize(coalesce(given, ''), NFD), '[\\u0300-\\u036f]', '', 'g'))
  $$;`;

/** Search by tsvector: what each kind of filter means, not yet by an index of its own. */
export const fullText: FullText = {
  /** The words of a trace go with its row. */
  async clearOldWords() {},

  async put(db, ord, words) {
    const columns = Object.entries(words).map(([name, text]) => sql`${sql.ref(name)} = ${text}`);
    await sql`UPDATE traces_words SET ${sql.join(columns)} WHERE ord = ${ord}`.execute(db);
  },

  async read(db, ord) {
    const { rows } = await sql<Record<keyof SearchWords, string | null>>`
      SELECT ${sql.join(COLUMNS.map((name) => sql.ref(name)))} FROM traces_words WHERE ord = ${ord}`.execute(
      db,
    );
    return rows[0] ?? {};
  },

  walk({ columns, filters, equal, range, limit, isOldestFirst = false }) {
    const conditions: [text: string, value: string | number][] = [
      ["t.ord >= ?", range[0]],
      ["t.ord < ?", range[1]],
      ["t.org_id = ?", filters.orgId],
      ...equal.map(([column, value]): [string, string | number] => [`t.${column} = ?`, value]),
    ];
    const leftOut = { status: filters.notStatus, source: filters.notSource, tier: filters.notTier };
    for (const [column, value] of Object.entries(leftOut))
      if (value !== undefined) conditions.push([`t.${column} IS DISTINCT FROM ?`, value]);
    if (filters.pr !== undefined) conditions.push(["t.pr_number = ?", filters.pr]);
    if (filters.region !== undefined) conditions.push(["lower(t.region) = ?", filters.region.toLowerCase()]);
    if (filters.codeSha !== undefined)
      conditions.push(["starts_with(lower(t.code_sha), ?)", filters.codeSha.toLowerCase()]);
    if (filters.kind !== undefined) {
      const isBeginning = filters.kind.endsWith("*");
      const word = `${TAG}k${hex(isBeginning ? filters.kind.slice(0, -1) : filters.kind)}`;
      conditions.push(["strpos(' ' || w.kinds || ' ', ?) > 0", ` ${word}${isBeginning ? "" : " "}`]);
    }
    if (filters.stepWords) conditions.push([has("w.steps"), query(filters.stepWords)]);
    if (filters.words)
      conditions.push([
        has(`concat_ws(' . ', ${COLUMNS.map((name) => `w.${name}`).join(", ")})`),
        query(filters.words),
      ]);
    return {
      sql: `SELECT ${columns("t")} FROM traces_words w JOIN traces t ON t.ord = w.ord
        WHERE ${conditions.map(([text]) => text).join(" AND ")} ORDER BY t.ord ${isOldestFirst ? "ASC" : "DESC"} LIMIT ?`,
      parameters: [...conditions.map(([, value]) => value), limit],
    };
  },

  namesFailure: (terms) => ({
    sql: `ord IN (SELECT ord FROM traces_words WHERE ${has("concat_ws(' . ', title, failure)")})`,
    parameters: [query(terms)],
  }),
};

const has = (text: string) => `words_of(${text}) @@ to_tsquery('simple', ?)`;

/** Words are letters and digits alone (`searchTerms`), so that none of them is an operator. */
const query = (terms: readonly SearchTerm[]): string =>
  terms
    .map(({ words, isPrefix }) => {
      const plain = words.map((word) => word.normalize("NFD").replace(/[\u0300-\u036f]/g, ""));
      return `(${plain.join(" <-> ")}${isPrefix ? ":*" : ""})`;
    })
    .join(" & ");
