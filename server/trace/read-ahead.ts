import type { HashesByPlace } from "./hashes-by-place.ts";

/** What was read of a Playwright archive while it came in. */
export interface ReadAhead {
  hashes: HashesByPlace;
  /** Its conversion as far as it came: see `beginConversion`. */
  begun: Uint8Array | null;
}

/** Of all traces together: some 20 MB of hashes, and as much of begun conversions. */
const MOST_HASHES = 100_000;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * What was read of archives whose traces wait to be processed. In memory only: whoever finds nothing reads the archive from its beginning,
 * which takes longer and comes to the same.
 */
export interface ReadAheads {
  keep(traceId: string, read: ReadAhead): void;
  /** Each is needed once. */
  take(traceId: string): ReadAhead;
}

export function createReadAheads(): ReadAheads {
  const byTrace = new Map<string, ReadAhead>();
  let count = 0;
  let bytes = 0;

  function take(traceId: string): ReadAhead {
    const read = byTrace.get(traceId) ?? { hashes: new Map(), begun: null };
    if (byTrace.delete(traceId)) {
      count -= read.hashes.size;
      bytes -= read.begun?.length ?? 0;
    }
    return read;
  }

  return {
    keep(traceId, read) {
      if (read.hashes.size === 0 || read.hashes.size > MOST_HASHES) return;
      byTrace.set(traceId, read);
      count += read.hashes.size;
      bytes += read.begun?.length ?? 0;
      // The oldest belong to traces that are gone, or wait behind many others.
      for (const [oldest] of byTrace) {
        if (count <= MOST_HASHES && bytes <= MOST_BYTES) break;
        take(oldest);
      }
    },
    take,
  };
}
