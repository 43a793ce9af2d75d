import { Database } from "bun:sqlite";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

/** Columns of `traces` that triggers write and FTS5 alone reads. */
const FULL_TEXT = ["tags", "more_tags"];

/** Text is ordered by its bytes, as SQLite orders it. */
const TYPES: Record<string, string> = {
  INTEGER: "BIGINT",
  TEXT: 'TEXT COLLATE "C"',
  REAL: "DOUBLE PRECISION",
  BLOB: "BYTEA",
};

/**
 * The tables and indexes of the migrations as PostgreSQL takes them, so that they never fall behind: without the full-text
 * table and without triggers, which say what they do in SQLite's own words.
 */
export function postgresSchema(): { tables: string[]; sql: string } {
  const raw = new Database(":memory:");
  migrate(raw);
  const made = raw
    .query(
      `SELECT type, name, sql FROM sqlite_master
      WHERE type IN ('table', 'index') AND sql IS NOT NULL AND tbl_name NOT LIKE 'traces_fts%' AND name NOT LIKE 'sqlite_%'
      ORDER BY type = 'index', rowid`,
    )
    .all() as { type: string; name: string; sql: string }[];
  raw.close();
  const statements = made.map(({ type, sql }) => (type === "table" ? table(sql) : sql));
  // SQLite says it by a collation of the column.
  statements.push("CREATE UNIQUE INDEX users_by_email ON users (lower(email))");
  const tables = made.filter(({ type }) => type === "table").map(({ name }) => name);
  return { tables, sql: `${statements.join(";\n")};` };
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
