import { Database } from "bun:sqlite";
import { faultOf } from "./failures.ts";

/** How long one who only looks is waited for. */
const PATIENCE_MS = 500;

/** What is held: a database that nothing names is closed by the engine. */
const held = new Set<Database>();

/**
 * Holds a file for as long as this process lives, by a lock of the operating system: SQLite's own, which all processes on one
 * kernel see, in whatever container. On a network file system it is as good as that system's locks.
 * @returns what gives it free; null when another process holds it
 */
export function holdFile(path: string): (() => void) | null {
  const raw = new Database(path, { create: true, readwrite: true });
  try {
    raw.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    // Nothing is ever written, and a journal would be one more file.
    raw.exec("PRAGMA journal_mode = MEMORY");
    raw.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    raw.close();
    if (faultOf(String((error as { code?: unknown }).code)) === "busy") return null;
    throw error;
  }
  held.add(raw);
  return () => {
    if (held.delete(raw)) raw.close(true);
  };
}
