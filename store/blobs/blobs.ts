/** Where some bytes lie inside a file of the store. Method 0 is stored, 8 is deflate (the zip format's numbers). */
export interface ByteLocation {
  /** Absolute path. */
  path: string;
  offset: number;
  storedSize: number;
  size: number;
  method: 0 | 8;
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
  exists(hash: string): Promise<boolean>;
  /** Removes the loose file; a missing one is fine. */
  remove(hash: string): Promise<void>;
  /** All the bytes. For small blobs; large ones go through `stream`. */
  read(location: ByteLocation): Promise<Uint8Array>;
  /** The bytes [start, end) of the content (not of the stored form). */
  stream(location: ByteLocation, range?: { start: number; end: number }): ReadableStream<Uint8Array>;
}
