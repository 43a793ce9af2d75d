import type { CompiledQuery, RawBuilder, Selectable } from "kysely";
import type { Db, Records } from "../db.ts";
import type { RecordsFault } from "../errors.ts";
import type { Database } from "../schema.ts";
import type { SearchTerm, SearchWords, TextFilters } from "../search-text.ts";

/**
 * What the records ask of a database beyond the SQL that SQLite and PostgreSQL share. One folder beside this file is one
 * engine; a file of a noun says in plain Kysely what both can say, and asks `engineOf(db)` for the rest.
 */
export interface Engine {
  hints: ListHints;
  fullText: FullText;
  claim: JobClaim;
  /** Has whoever else asks for this name wait until the transaction ends, where statements of two go on side by side. */
  alone(db: Db, name: string): Promise<void>;
  json: JsonRules;
  letters: LetterRules;
  catalog: Catalog;
  room: Room;
  /** Text as this engine takes it. */
  statement(text: SqlText): CompiledQuery;
  /** What an error with this code means; null when it is none of the engine's. */
  faultOf(code: string): RecordsFault | null;
}

/** SQL of both engines with a `?` for each parameter, for lists whose texts are few and kept prepared. */
export interface SqlText {
  sql: string;
  parameters: (string | number)[];
}

/** How a list is kept on the index that was made for it. */
export interface ListHints {
  /** A table in FROM, with its alias when it has one, that is read through this index. */
  through(table: string, index: string): string;
  /** Joins what follows, with ON, to a table whose rows are walked first. */
  joinAfter: string;
  /** A column in a condition for which no index is to be chosen. */
  unindexed(column: string): string;
}

/** What a worker takes. */
export interface WantedJob {
  kinds: string[];
  /** Jobs of these lanes are left. */
  busyLanes?: string[];
  now: number;
  leaseUntil: number;
  token: string;
  server: string;
}

/** How one of several workers takes a job. */
export interface JobClaim {
  /** Takes the longest due open job of these kinds, leased until `leaseUntil` under `token` to `server`; null when none is due. */
  take(records: Records, wanted: WantedJob): Promise<Selectable<Database["jobs"]> | null>;
}

/** The index of words; its rows come and go with the traces. */
export interface FullText {
  /** Puts words that `wordsOf` made in the place of those that were there. Nothing happens when the trace is gone. */
  put(db: Db, ord: number, words: Partial<SearchWords>): Promise<void>;
  /** Clears out what removed traces have left, where that is worth it. */
  clearOldWords(records: Records): Promise<void>;
  /** What was put; null or missing what never was. */
  read(db: Db, ord: number): Promise<Partial<Record<keyof SearchWords, string | null>>>;
  /** One page of traces by their words, newest first unless it is said otherwise, `range` being `ord`s: the first included, the end not. */
  walk(query: {
    /** The columns that are selected of the traces, under this alias. */
    columns(table: string): string;
    filters: TextFilters;
    equal: readonly (readonly [column: string, value: string | number])[];
    range: readonly [from: number, end: number];
    limit: number;
    isOldestFirst?: boolean;
  }): SqlText;
  /** A condition on `traces`: title or failure have the terms. */
  namesFailure(terms: readonly SearchTerm[]): SqlText;
}

export interface JsonRules {
  /** Text at a top-level name of a column that holds a JSON object; null when it has none. */
  field(column: string, name: string): RawBuilder<string | null>;
  /** For FROM: a row `given` for each entry of a JSON list of lists. Many rows are inserted so, by one short statement. */
  given(list: string): RawBuilder<unknown>;
  /** Of such a row, the value at this place of its list. */
  textAt(place: number): RawBuilder<string | null>;
  numberAt(place: number): RawBuilder<number>;
}

export interface LetterRules {
  /** Whether a column holds a text; the case of A to Z does not matter. */
  contains(column: string, text: string): RawBuilder<boolean>;
}

/** What rows that were removed leave. */
export interface Room {
  /** Gives some of it back to the disk, where that is worth it and the database does not do so by itself. @returns bytes */
  giveBack(db: Db): Promise<number>;
}

/** What the database knows of its own tables. */
export interface Catalog {
  columnsOf(db: Db, table: keyof Database): Promise<Set<string>>;
}
