/** Whether the disk failed under SQLite. What a commit that failed so has left is not known to its connection. */
export function isDiskFailure(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_IOERR");
}
