import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync } from "node:fs";
import { schemaVersion } from "./migrate.ts";

const BUSY_MS = 5000;
const PROBLEMS_TOLD = 5;

/** What SQLite itself says of a database file. */
export interface FileState {
  version: number;
  /** Of its pages and indexes; none when it is whole. */
  problems: string[];
}

/** The same with rows whose reference leads nowhere, and from which table to which. */
export interface InspectedFile extends FileState {
  dangling: { count: number; pairs: string[] };
}

/** Looks at a database file that nobody writes to. @throws SQLiteError when it is no database */
export function stateOfFile(path: string): FileState {
  return reading(path, true, stateOf);
}

/** Looks at a database file that may be in use, without migrating or making anything. @throws SQLiteError */
export function inspectFile(path: string): InspectedFile {
  return reading(path, false, (raw) => {
    const state = stateOf(raw);
    const dangling = raw.query("PRAGMA foreign_key_check").all() as { table: string; parent: string }[];
    const pairs = new Set(dangling.map(({ table, parent }) => `${table} → ${parent}`));
    return { ...state, dangling: { count: dangling.length, pairs: [...pairs] } };
  });
}

function stateOf(raw: Database): FileState {
  const checked = raw.query(`PRAGMA integrity_check(${PROBLEMS_TOLD})`).all() as {
    integrity_check: string;
  }[];
  const problems = checked.map((row) => row.integrity_check).filter((text) => text !== "ok");
  return { version: schemaVersion(raw), problems };
}

/** When the newest trace in a database file was made, epoch ms; null when there is none. @throws SQLiteError */
export function newestTraceIn(path: string): number | null {
  return reading(path, false, (raw) => {
    const row = raw.query("SELECT max(created_at) AS at FROM traces").get() as { at: number | null };
    return row.at;
  });
}

/** Writes the records of this moment into a new file, whoever writes to them meanwhile. @throws SQLiteError */
export function snapshotFile(path: string, into: string): void {
  reading(path, false, (raw) => {
    // The new file keeps a map of its pages, whether the old one has it or not.
    raw.exec("PRAGMA auto_vacuum = INCREMENTAL");
    raw.run("VACUUM INTO ?", [into]);
  });
}

/** Everything that the records of a file name outside of it. */
export interface FileContents {
  version: number;
  /** Without the members of packs. */
  artifacts: { path: string; size: number; sha256: string; kind: string; tier: string }[];
  /** Loose ones. */
  blobs: { hash: string; suffix: string; size: number }[];
  /** Ids. */
  traces: string[];
  testRuns: string[];
}

/** Reads a database file that nobody writes to. @throws SQLiteError */
export function contentsOfFile(path: string): FileContents {
  return reading(path, true, (raw) => ({
    version: schemaVersion(raw),
    artifacts: raw
      .query(
        `SELECT a.path, a.size, a.sha256, a.kind, t.tier FROM artifacts a JOIN traces t ON t.id = a.trace_id
        WHERE a.pack_offset IS NULL`,
      )
      .all() as FileContents["artifacts"],
    blobs: raw
      .query(`SELECT hash, ${suffixSince20(raw)} AS suffix, size FROM blob_locations WHERE container = ''`)
      .all() as FileContents["blobs"],
    traces: idsOf(raw, "traces"),
    testRuns: schemaVersion(raw) < 19 ? [] : idsOf(raw, "test_runs"),
  }));
}

/** How the audit chain of each org ends. Reads a database file that nobody writes to. @throws SQLiteError */
export function auditHeadsOfFile(
  path: string,
): { org_id: string; seq: number; hash: string; count: number }[] {
  return reading(path, true, (raw) =>
    // Of the columns beside a lone max(), SQLite takes those of the row that has it.
    raw
      .query("SELECT org_id, max(seq) AS seq, hash, count(*) AS count FROM audit_events GROUP BY org_id")
      .all(),
  ) as { org_id: string; seq: number; hash: string; count: number }[];
}

const idsOf = (raw: Database, table: "traces" | "test_runs"): string[] =>
  (raw.query(`SELECT id FROM ${table}`).all() as { id: string }[]).map(({ id }) => id);

/** A backup may be older than the column. */
const suffixSince20 = (raw: Database): string => (schemaVersion(raw) < 20 ? "''" : "suffix");

/** Whether a file is a database without any migration: the file format keeps `user_version` at byte 60. */
export function isBlankFile(path: string): boolean {
  const header = Buffer.alloc(64);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header.toString("latin1", 0, 15) === "SQLite format 3" && header.readUInt32BE(60) === 0;
}

function reading<T>(path: string, readonly: boolean, read: (raw: Database) => T): T {
  const raw = new Database(path, readonly ? { readonly } : { readwrite: true, create: false });
  try {
    raw.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    return read(raw);
  } finally {
    raw.close();
  }
}
