const hasCode = (error: unknown, start: string): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith(start);

/** Whether the disk failed under SQLite. What a commit that failed so has left is not known to its connection. */
export function isDiskFailure(error: unknown): boolean {
  return hasCode(error, "SQLITE_IOERR");
}

export const isConstraint = (error: Error): boolean => hasCode(error, "SQLITE_CONSTRAINT");
