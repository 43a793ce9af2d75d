/** Where some bytes lie inside a file of the store. Method 0 is stored, 8 is deflate (the zip format's numbers). */
export interface ByteLocation {
  /** Absolute path. */
  path: string;
  offset: number;
  storedSize: number;
  size: number;
  method: 0 | 8;
}

/** Bytes that the records promise are not there: a missing, short or undecodable file. The message names it. */
export class BlobDamagedError extends Error {
  override name = "BlobDamagedError";
}

/**
 * The bytes of content-addressed blobs. Which hash lies where is in the records (`blob_locations`); this room only
 * moves bytes, so that another engine (S3) can take its place.
 */
export interface BlobFiles {
  /** Path of the loose file of a hash, whether or not it exists. */
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
  /** All the bytes. For small blobs; large ones go through `stream`. @throws BlobDamagedError */
  read(location: ByteLocation): Promise<Uint8Array>;
  /** The bytes [start, end) of the content (not of the stored form). Errors with `BlobDamagedError`. */
  stream(location: ByteLocation, range?: { start: number; end: number }): ReadableStream<Uint8Array>;
  /**
   * As `stream`, with the file open when it resolves: it may move or be removed from then on. The stream must be read to
   * its end or cancelled. @throws BlobDamagedError when the file is missing or too short
   */
  open(location: ByteLocation, range?: { start: number; end: number }): Promise<ReadableStream<Uint8Array>>;
}
