import { Database as BunDatabase, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { closeSync, openSync, statSync } from "node:fs";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import type { Records } from "../../db.ts";
import { recordsFault } from "../../faults.ts";
import type { Database } from "../../schema.ts";
import { withEngine } from "../engine-of.ts";
import { sqliteEngine } from "./engine.ts";
import { growJournal } from "./journal-room.ts";
import { schemaVersion } from "./migrate.ts";

const BUSY_MS = 5000;
const SWITCH_AGAIN_MS = 10;

const STATEMENTS_KEPT = 500;

export interface Sqlite {
  records: Records;
  /** The connection that `records` uses. It is another one after an I/O error. */
  readonly raw: BunDatabase;
  /**
   * Lets zeros be appended to the journal, by its path, for later transactions to fill. To be called while no transaction is open.
   * @throws SQLiteError when another process keeps the lock of writers
   */
  growJournal(append: (path: string) => void): void;
  /** By how many bytes the one file grows when it takes in what the journal holds. */
  growth(): number;
  /** Brings what the journal holds into the one file, where the disk has room for that and nobody reads an older moment. */
  emptyJournal(): void;
  /** Leaves everything in the one file where nobody else has it open and the disk has room for it. */
  close(): Promise<void>;
}

/**
 * Opens the SQLite file (made when missing) with the pragmas the store relies on.
 * @throws SQLiteError when the file is no database or cannot be written.
 */
export function openSqlite(path: string): Sqlite {
  // SQLite would let everybody read a new file; its WAL takes over the mode.
  closeSync(openSync(path, "a", 0o600));
  const connection = createConnection(() => connect(path));
  const dialect = withEngine(new SqliteDialect({ database: connection }), sqliteEngine);
  const records = new Kysely<Database>({ dialect });
  return {
    records,
    get raw() {
      return connection.raw;
    },
    growJournal: (append) => growJournal(connection.raw, append),
    growth: () => Math.max(0, pageBytes(connection.raw) - statSync(path).size),
    emptyJournal: () => checkpoint(connection.raw, "PASSIVE"),
    async close() {
      try {
        checkpoint(connection.raw, "TRUNCATE");
      } finally {
        await records.destroy();
      }
    },
  };
}

function pageBytes(raw: BunDatabase): number {
  const { bytes } = raw
    .query<{ bytes: number }, []>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    )
    .get()!;
  return bytes;
}

/** What has no room in the one file stays in its log, which the next start reads. */
function checkpoint(raw: BunDatabase, mode: "PASSIVE" | "TRUNCATE"): void {
  try {
    raw.exec(`PRAGMA wal_checkpoint(${mode})`);
  } catch (error) {
    if (recordsFault(error) !== "full") throw error;
  }
}

function connect(path: string): BunDatabase {
  const raw = new BunDatabase(path, { create: true, strict: true });
  // First, so that every later statement waits for another process's lock instead of failing at once.
  raw.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // A new file keeps a map of its pages, so that what old rows leave can be given back; on one that has tables this does nothing.
  raw.exec("PRAGMA auto_vacuum = INCREMENTAL");
  // Readers (backup, doctor, the sqlite3 shell) do not block the writer.
  switchToWal(raw);
  // An answer that was sent survives a power cut: with NORMAL the tail of the WAL may be lost.
  raw.exec("PRAGMA synchronous = FULL");
  raw.exec("PRAGMA foreign_keys = ON");
  raw.exec("PRAGMA temp_store = MEMORY");
  raw.exec("PRAGMA cache_size = -32768");
  return raw;
}

/**
 * A connection in the shape Kysely's driver asks for, with prepared statements kept (oldest out first). After an I/O error
 * it is not to be trusted: a commit whose fsync failed is in the log and may come back at the next start, while the
 * connection does not show it. So it is closed, and a fresh one settles what is in before anybody looks; until that works,
 * every statement fails as the disk does.
 */
function createConnection(connectAnew: () => BunDatabase): SqliteDatabase & { readonly raw: BunDatabase } {
  let raw = connectAnew();
  let isWithin = false;
  let isSuspect = false;
  const kept = new Map<string, { statement: Statement; adapted: SqliteStatement }>();

  function prepare(sql: string): SqliteStatement {
    if (sql === "rollback") return rollback;
    if (sql === "commit") return commit;
    if (isSuspect && !isWithin) renew();
    const known = kept.get(sql);
    if (known) return known.adapted;
    // A transaction that reads first and writes later would otherwise fail when another process wrote in between.
    const statement = raw.prepare(sql === "begin" ? "begin immediate" : sql);
    const adapted = watched(statement, sql === "begin");
    if (kept.size >= STATEMENTS_KEPT) discard(kept.keys().next().value as string);
    kept.set(sql, { statement, adapted });
    return adapted;
  }

  function discard(sql: string) {
    kept.get(sql)?.statement.finalize();
    kept.delete(sql);
  }

  function watched(statement: Statement, isBegin: boolean): SqliteStatement {
    const watch = <T>(work: () => T): T => {
      try {
        const result = work();
        if (isBegin) isWithin = true;
        return result;
      } catch (error) {
        if (recordsFault(error) === "disk") isSuspect = true;
        renewIfPossible();
        throw error;
      }
    };
    return {
      reader: statement.columnNames.length > 0,
      all: (parameters) => watch(() => statement.all(...(parameters as SQLQueryBindings[]))),
      run: (parameters) => watch(() => statement.run(...(parameters as SQLQueryBindings[]))),
      iterate: (parameters) => statement.iterate(...(parameters as SQLQueryBindings[])),
    };
  }

  const commit = writing(() => {
    try {
      const done = raw.run("commit");
      isWithin = false;
      return done;
    } catch (error) {
      if (recordsFault(error) === "disk") {
        isSuspect = true;
        isWithin = false;
        renewIfPossible();
      }
      throw error;
    }
  });

  const rollback = writing(() => {
    const wasWithin = isWithin;
    isWithin = false;
    try {
      // A full disk makes SQLite roll back by itself: a second rollback would fail and hide the reason of the first.
      return wasWithin && raw.inTransaction ? raw.run("rollback") : NOTHING;
    } finally {
      renewIfPossible();
    }
  });

  function renewIfPossible() {
    if (!isSuspect || isWithin) return;
    try {
      renew();
    } catch {
      // The error that led here is the one to tell; the next statement tries again, and tells what stands in its way.
    }
  }

  function renew() {
    close();
    raw = connectAnew();
    // What the log holds is brought to the database itself, or the disk fails again.
    raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    // A commit that counts now takes the place of one that failed, which could otherwise come back.
    raw.exec("BEGIN IMMEDIATE");
    raw.exec(`PRAGMA user_version = ${schemaVersion(raw)}`);
    raw.exec("COMMIT");
    isSuspect = false;
  }

  function close() {
    // Statements that are not finalized would keep the database open, and its locks.
    for (const sql of [...kept.keys()]) discard(sql);
    raw.close();
  }

  return {
    prepare,
    close,
    get raw() {
      return raw;
    },
  };
}

const NOTHING = { changes: 0, lastInsertRowid: 0 };

/** A statement without parameters and rows. */
function writing(run: () => { changes: number | bigint; lastInsertRowid: number | bigint }): SqliteStatement {
  return {
    reader: false,
    all: () => [],
    run,
    iterate: () => [][Symbol.iterator](),
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
      if (recordsFault(error) !== "busy" || performance.now() > end) throw error;
      Bun.sleepSync(SWITCH_AGAIN_MS);
    }
  }
}
