/**
 * What is wrong with an event stream or an event file, in words. `kind` is one of the error codes clients see:
 * `bundle_bomb` when a cap is hit, `bundle_unreadable` when the bytes are not what they should be.
 */
export class EventStreamError extends Error {
  override name = "EventStreamError";
  readonly kind: "bundle_bomb" | "bundle_unreadable";
  constructor(kind: "bundle_bomb" | "bundle_unreadable", message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A stored file whose bytes do not check out. Indexes are rebuilt on it; event files cannot be. */
export class DamagedFileError extends Error {
  override name = "DamagedFileError";
}
