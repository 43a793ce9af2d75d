/** What the machine below the store refuses, by the codes of Node.js and SQLite; of SQLite's long codes the beginning counts. */
const FAULTS: Record<string, string> = {
  ENOSPC: "The server's disk is full",
  SQLITE_FULL: "The server's disk is full",
  EDQUOT: "The disk quota of the server's account is used up",
  EFBIG: "The server's disk takes no file of that size",
  EIO: "The server's disk fails: it could not be read or written",
  SQLITE_IOERR: "The server's disk fails: the database could not be read or written",
  EROFS: "The server's disk is read-only",
  SQLITE_READONLY: "The server's database is read-only",
  SQLITE_CANTOPEN: "The server's database cannot be opened",
  SQLITE_BUSY: "Another process keeps the server's database busy; try again",
  EMFILE: "The server has too many files open; try again",
  ENFILE: "The server's machine has too many files open; try again",
};

/**
 * In words what the disk, the file system or the database refused, when that is what an error comes from, at whatever
 * depth of its causes; null when it comes from something else. Names no path.
 */
export function storageFault(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < 10; depth++) {
    // A worker hands the code on as its error's kind.
    const { code, kind } = cause as { code?: unknown; kind?: unknown };
    const words = wordsFor(code) ?? wordsFor(kind);
    if (words) return words;
    cause = cause.cause;
  }
  return null;
}

function wordsFor(code: unknown): string | null {
  if (typeof code !== "string") return null;
  const name = code.startsWith("SQLITE_") ? code.split("_", 2).join("_") : code;
  return Object.hasOwn(FAULTS, name) ? FAULTS[name]! : null;
}
