import { type ByteCache, createByteCache } from "../../../store/events/cache.ts";
import type { StoredDirectory } from "../files/snapshots.ts";

const MIB = 1024 * 1024;
/** Rendered pages and style sheets. */
const RENDERED_BYTES = 64 * MIB;
/** Lines of snapshots; a parsed one takes several times as much. */
const PARSED_BYTES = 8 * MIB;
/** Text of indexes; the same holds. */
const INDEX_BYTES = 32 * MIB;

/** What is kept in memory of recorded pages, for everybody who reads them. */
export interface SnapshotCaches {
  rendered: ByteCache;
  parsed: ByteCache;
  directories: ByteCache;
  /** Directories that are being read, by the hash of their file. */
  loading: Map<string, Promise<StoredDirectory>>;
  /** Grants that were handed out, by trace and share, and until when (epoch ms) they are handed out again. */
  grants: Map<string, { grant: string; until: number }>;
}

export function createSnapshotCaches(): SnapshotCaches {
  return {
    rendered: createByteCache(RENDERED_BYTES),
    parsed: createByteCache(PARSED_BYTES),
    directories: createByteCache(INDEX_BYTES),
    loading: new Map(),
    grants: new Map(),
  };
}
