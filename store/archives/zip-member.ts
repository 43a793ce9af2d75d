/** One file of an archive and where its bytes lie, so that a blob table can point into the archive. */
export interface ZipMember {
  name: string;
  /** Of the first stored byte, from the start of the file (after the local header). */
  offset: number;
  storedSize: number;
  size: number;
  /** 0 stored, 8 deflate. */
  method: 0 | 8;
  crc32: number;
}

/**
 * Gives all the bytes of a member to `use`, checked against size and checksum, and keeps the thread until it is done: for
 * what runs in a worker. The bytes are gone with the next call.
 * @throws ArchiveError `bundle_unreadable`
 */
export type UseMember = <T>(member: ZipMember, use: (bytes: Uint8Array) => T) => T;

/** A member whose end is missing: its readable beginning. It has no hash of its own, so it must not become a blob. */
export interface PartialMember {
  name: string;
  offset: number;
  /** Stored bytes that are there. */
  storedSize: number;
  method: 0 | 8;
}

/** The same once it was read. */
export interface BegunMember extends PartialMember {
  /** Bytes that its beginning unpacks to. */
  size: number;
}
