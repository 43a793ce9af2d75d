/**
 * The loose files of content-addressed blobs: what comes and goes. Which hash lies where is in the records
 * (`blob_locations`); `store/files` reads it.
 */
export interface BlobFiles {
  /** Absolute path of the loose file of a hash, whether or not it exists: for the store itself and for messages. */
  loosePath(hash: string): string;
  /** Moves a finished, fsynced file into place and fsyncs the folder. Idempotent: a blob that is there already wins. */
  adopt(stagedPath: string, hash: string): Promise<void>;
  /** The same for many blobs: every folder they land in is fsynced once. */
  adoptAll(staged: readonly { path: string; hash: string }[]): Promise<void>;
  /**
   * Keeps `remove` from taking these blobs until the returned function is called: an upload that names them is on its
   * way. The collector must decide and call `remove` inside one transaction on the records; whoever holds registers
   * the blobs in a transaction of its own before letting go.
   */
  hold(hashes: Iterable<string>): () => void;
  exists(hash: string): Promise<boolean>;
  /** Removes the loose file; a missing one is fine. @returns false when the blob is held and therefore stays. */
  remove(hash: string): Promise<boolean>;
}
