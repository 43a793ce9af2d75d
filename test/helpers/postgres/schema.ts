import { Database } from "bun:sqlite";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";
import { FULL_TEXT_SCHEMA } from "./full-text.ts";

/** Columns of `traces` that triggers write and FTS5 alone reads. */
const FULL_TEXT = ["tags", "more_tags"];
/** As SQLite's triggers ask whether anything changed that traces are counted by. */
const TAGS_CHANGED = "old.tags <> new.tags";

/** Text is ordered by its bytes, as SQLite orders it. */
const TYPES: Record<string, string> = {
  INTEGER: "BIGINT",
  TEXT: 'TEXT COLLATE "C"',
  REAL: "DOUBLE PRECISION",
  BLOB: "BYTEA",
};

/**
 * The tables, indexes and triggers of the migrations as PostgreSQL takes them, so that they never fall behind; only the
 * full text has tables of its own.
 */
export function postgresSchema(): { tables: string[]; sql: string } {
  const raw = new Database(":memory:");
  migrate(raw);
  const made = raw
    .query(
      `SELECT type, name, sql FROM sqlite_master
      WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'traces_fts%' AND name NOT LIKE 'traces_fts%' AND name NOT LIKE 'sqlite_%'
      ORDER BY type <> 'table', type, rowid`,
    )
    .all() as { type: string; name: string; sql: string }[];
  const keyOf = (name: string) =>
    (
      raw.query("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").all(name) as {
        name: string;
      }[]
    )
      .map((column) => column.name)
      .join(", ");
  const statements = made.map(({ type, sql }) => {
    if (type === "table") return table(sql);
    return type === "trigger" ? trigger(sql, keyOf) : sql;
  });
  raw.close();
  // SQLite says it by a collation of the column.
  statements.push("CREATE UNIQUE INDEX users_by_email ON users (lower(email))", FULL_TEXT_SCHEMA);
  const tables = made.filter(({ type }) => type === "table").map(({ name }) => name);
  return { tables, sql: `${statements.join(";\n")};` };
}

/** A trigger's statements as a function. What a conflict meets is the primary key, and its columns are named with their table. */
function trigger(sql: string, keyOf: (table: string) => string): string {
  const [, name, event, condition, body] =
    /^CREATE TRIGGER (\w+)\s+([\s\S]+? ON \w+)(?:\s+WHEN ([\s\S]+?))? BEGIN\n([\s\S]*)END$/.exec(sql)!;
  const statements = body!.replace(
    /INSERT INTO (\w+)([^;]*?)ON CONFLICT DO UPDATE SET ([^;]*);/g,
    (_, table: string, rows: string, changes: string) =>
      `INSERT INTO ${table}${rows}ON CONFLICT (${keyOf(table)}) DO UPDATE SET ${changes.replace(
        /(\w+) = (\w+) \+/g,
        `$1 = ${table}.$2 +`,
      )};`,
  );
  const when = condition?.replace(
    TAGS_CHANGED,
    "(old.facet, old.scenario_id, old.failure_signature) IS DISTINCT FROM (new.facet, new.scenario_id, new.failure_signature)",
  );
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements} RETURN ${
    event!.startsWith("BEFORE") ? "old" : "NULL"
  }; END $$;
  CREATE TRIGGER ${name} ${event} FOR EACH ROW ${when ? `WHEN (${when})` : ""} EXECUTE FUNCTION ${name}()`;
}

function table(sql: string): string {
  const text = sql.replace(/--.*$/gm, "");
  const isOfTraces = /^CREATE TABLE "?traces\b/.test(text);
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const parts = topLevelParts(text.slice(open + 1, close))
    .filter((part) => !isOfTraces || !FULL_TEXT.includes(part.split(/\s/)[0]!))
    .map(column);
  return `${text.slice(0, open)} (${parts.join(", ")})`;
}

function column(part: string): string {
  if (/^(PRIMARY|UNIQUE|CHECK|FOREIGN)\b/i.test(part)) return part;
  const [, name, type, rest] = part.match(/^(\w+)\s+(\w+)([\s\S]*)$/)!;
  const more = rest!.replace(/UNIQUE COLLATE NOCASE/, "").replace(/\bVIRTUAL\b/, "STORED");
  const known = TYPES[type!.toUpperCase()];
  if (!known) throw new Error(`No PostgreSQL type is named for ${type}, the type of the column ${name}.`);
  return `"${name}" ${known}${more}`;
}

function topLevelParts(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}
