/** The database was written by a newer program; the message says what to do. */
export class NewerDatabaseError extends Error {
  override name = "NewerDatabaseError";
}
