/**
 * Why an archive is refused. `kind` is the error code the answer carries: `bundle_bomb` for caps alone,
 * `bundle_unreadable` for everything else; the message names the member and what would be right.
 */
export class ArchiveError extends Error {
  override name = "ArchiveError";
  readonly kind: "bundle_unreadable" | "bundle_bomb";

  constructor(kind: "bundle_unreadable" | "bundle_bomb", message: string) {
    super(message);
    this.kind = kind;
  }
}

export const unreadable = (message: string) => new ArchiveError("bundle_unreadable", message);
export const bomb = (message: string) => new ArchiveError("bundle_bomb", message);
