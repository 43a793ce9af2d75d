import { Database as BunDatabase, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import type { Database } from "./schema.ts";

const BUSY_MS = 5000;
const SWITCH_AGAIN_MS = 10;

/** Kysely over the embedded engine. */
export type Records = Kysely<Database>;

const STATEMENTS_KEPT = 500;

/**
 * Opens the SQLite file (made when missing) with the pragmas the store relies on.
 * @throws SQLiteError when the file is no database or cannot be written.
 */
export function openSqlite(path: string): { records: Records; raw: BunDatabase } {
  // SQLite would let everybody read a new file; its WAL takes over the mode.
  closeSync(openSync(path, "a", 0o600));
  const raw = new BunDatabase(path, { create: true, strict: true });
  // First, so that every later statement waits for another process's lock instead of failing at once.
  raw.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // Readers (backup, doctor, the sqlite3 shell) do not block the writer.
  switchToWal(raw);
  // An answer that was sent survives a power cut: with NORMAL the tail of the WAL may be lost.
  raw.exec("PRAGMA synchronous = FULL");
  raw.exec("PRAGMA foreign_keys = ON");
  raw.exec("PRAGMA temp_store = MEMORY");
  raw.exec("PRAGMA cache_size = -32768");
  const dialect = new SqliteDialect({ database: asKyselyDatabase(raw) });
  return { records: new Kysely<Database>({ dialect }), raw };
}

/** bun:sqlite in the shape Kysely's driver asks for, with prepared statements kept (oldest out first). */
function asKyselyDatabase(raw: BunDatabase): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const known = kept.get(sql);
    if (known) return known;
    // A transaction that reads first and writes later would otherwise fail when another process wrote in between.
    const prepared = adapt(raw.prepare(sql === "begin" ? "begin immediate" : sql));
    const statement = sql === "rollback" ? whenOpen(raw, prepared) : prepared;
    if (kept.size >= STATEMENTS_KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(sql, statement);
    return statement;
  }
  return { prepare, close: () => raw.close() };
}

/** A full disk makes SQLite roll back by itself: a second rollback would fail and hide the reason of the first. */
function whenOpen(raw: BunDatabase, rollback: SqliteStatement): SqliteStatement {
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return {
    ...rollback,
    run: (parameters) => (raw.inTransaction ? rollback.run(parameters) : nothing),
  };
}

function adapt(statement: Statement): SqliteStatement {
  return {
    reader: statement.columnNames.length > 0,
    all: (parameters) => statement.all(...(parameters as SQLQueryBindings[])),
    run: (parameters) => statement.run(...(parameters as SQLQueryBindings[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLQueryBindings[])),
  };
}

/** SQLite does not wait for this change of mode: a second process that starts at the same moment is refused at once. */
function switchToWal(raw: BunDatabase): void {
  const end = performance.now() + BUSY_MS;
  for (;;) {
    try {
      raw.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
      if (!isBusy || performance.now() > end) throw error;
      Bun.sleepSync(SWITCH_AGAIN_MS);
    }
  }
}
