/** The database was written by a newer program; the message says what to do. */
export class NewerDatabaseError extends Error {
  override name = "NewerDatabaseError";
}

/**
 * What a database's error means.
 * - `full`: the disk takes no more.
 * - `disk`: the disk, or the way to it, failed: a commit that failed so may be in all the same.
 * - `busy`: somebody else kept the database too long.
 * - `unique`: there is one already. `constraint`: another rule of the tables was broken.
 * - `corrupt`, `no_database`, `read_only`, `cannot_open`: the file itself.
 */
export type RecordsFault =
  | "full"
  | "disk"
  | "busy"
  | "unique"
  | "constraint"
  | "corrupt"
  | "no_database"
  | "read_only"
  | "cannot_open"
  | "other";
