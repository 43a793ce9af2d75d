/** Where some bytes lie inside a file of the store. Method 0 is stored, 8 is deflate (the zip format's numbers). */
export interface ByteLocation {
  /** Of the file. */
  key: string;
  offset: number;
  storedSize: number;
  size: number;
  method: 0 | 8;
}

/** The bytes [start, end) of a content. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes that the records promise are not there: a missing, short or undecodable file. The message names it. */
export class BlobDamagedError extends Error {
  override name = "BlobDamagedError";
}

/** A file of the store on this machine's disk, to be read only. It is there until it is released, and maybe longer. */
export interface Lease {
  /** Absolute. The same for the same file in the whole process. */
  path: string;
  release(): void;
}

/** What another thread or process opens the same files by. */
export interface FilesAddress {
  /** The data folder. */
  root: string;
  /** The folder that holds the packs of cold traces. */
  coldDir: string;
}

/** A finished, fsynced file that is to be one of a trace. */
export interface NewFile {
  /** It is moved away. On the disk of the store's work folder. */
  path: string;
  traceId: string;
  /** What it is, for example `summary.json`. */
  name: string;
  /**
   * SHA-256 hex that becomes a part of its name: its own, or that of the file that it belongs to (an index goes by its
   * events). Null for what has one form only until a row names it.
   */
  sha256: string | null;
}

/** The pack of a trace that becomes cold, while it is made. */
export interface ColdDraft {
  /** Where to write it: on the disk that it stays on. */
  path: string;
  /** Moves the finished, fsynced file into place, named by its SHA-256 hex, and makes that durable. @returns its key */
  finish(sha256: string): Promise<string>;
  /** Removes what was written; what `finish` has moved stays. */
  discard(): Promise<void>;
}

/**
 * The files of traces. A file is known by its key, which rows keep (`artifacts.path`, `blob_locations.container`), and does
 * not change: other content is another key, and the row is the only switch between them. Keys are relative paths with `/`,
 * `traces/<id>/<name>`, the key of a blob or of a test run's record; one without a folder is a pack of a cold trace.
 */
export interface Files {
  readonly address: FilesAddress;
  /**
   * Moves a file in. Durable when it resolves; nobody reads it before a row names its key. A file that is there already
   * under that key with as many bytes stays.
   * @returns its key
   */
  put(file: NewFile): Promise<string>;
  /** The same for several, with the keys in their order: every folder that they land in is brought to the disk once. */
  putAll(files: readonly NewFile[]): Promise<string[]>;
  /** Moves a folder of finished, fsynced files in as all that a new trace has. Its files keep their names. */
  putTrace(folder: string, traceId: string): Promise<void>;
  /** Moves finished, fsynced files of loose blobs in, by hash. Durable when it resolves. @param suffix of their keys */
  putBlobs(blobs: readonly { path: string; hash: string }[], suffix: string): Promise<void>;
  /** Begins the pack of a cold trace. */
  coldDraft(traceId: string): Promise<ColdDraft>;
  /** The keys of the packs that lie in the cold folder for a trace: of those that a crash left the row names none. */
  coldKeysOf(traceId: string): Promise<string[]>;
  /** Writes the record of a trace or a test run. Records alone are replaced: readers, and a power cut, see the old one or the new. */
  putRecord(key: string, bytes: Uint8Array): Promise<void>;
  /** All the bytes. For small ones; large ones go through `stream`. @throws BlobDamagedError */
  read(location: ByteLocation): Promise<Uint8Array>;
  /** The bytes of the content (not of the stored form). Errors with `BlobDamagedError`. */
  stream(location: ByteLocation, range?: ByteRange): ReadableStream<Uint8Array>;
  /**
   * As `stream`, with the file open when it resolves: it may be removed from then on. The stream must be read to its end or
   * cancelled. @throws BlobDamagedError when the file is missing or too short
   */
  open(location: ByteLocation, range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
  /** Stored bytes as a file that Bun sends by itself, with its length; null where there is none on this machine. */
  asBlob(location: ByteLocation, range: ByteRange): Blob | null;
  /** A whole file to be read by its path. Release it when that is done. @throws an error with the code `ENOENT` */
  local(key: string): Promise<Lease>;
  /** Bytes of a file; null when there is none. */
  size(key: string): Promise<number | null>;
  /** Removes a file, at once or when the last lease of it is released; a missing one is fine. Who has it open reads on. */
  remove(key: string): Promise<void>;
  /** The keys of what lies with a trace, named by a row or not. */
  keysOf(traceId: string): Promise<string[]>;
  /** Removes all that lies with a trace, at once or when the last lease of it is released. */
  removeTrace(traceId: string): Promise<void>;
  /** Where a key lies, for a person to read. */
  whereabouts(key: string): string;
  /** A message without the part of its paths that is this machine's. */
  unrooted(message: string): string;
}
