import type { RecordsFault } from "./records/errors.ts";
import { recordsFault } from "./records/faults.ts";

/** What the machine below the store refuses, by the codes of Node.js. */
const FAULTS: Record<string, string> = {
  ENOSPC: "The server's disk is full",
  EDQUOT: "The disk quota of the server's account is used up",
  EFBIG: "The server's disk takes no file of that size",
  EIO: "The server's disk fails: it could not be read or written",
  EROFS: "The server's disk is read-only",
  EMFILE: "The server has too many files open; try again",
  ENFILE: "The server's machine has too many files open; try again",
};

/** The same of the records, by what their engine makes of its errors. */
const OF_RECORDS: Partial<Record<RecordsFault, string>> = {
  full: "The server's disk is full",
  disk: "The server's disk fails: the database could not be read or written",
  read_only: "The server's database is read-only",
  cannot_open: "The server's database cannot be opened",
  busy: "Another process keeps the server's database busy; try again",
};

/** Whether the disk, or the account's part of it, takes no more. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT" || recordsFault(error) === "full";
}

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
  if (Object.hasOwn(FAULTS, code)) return FAULTS[code]!;
  const fault = recordsFault({ code });
  return (fault && OF_RECORDS[fault]) ?? null;
}
