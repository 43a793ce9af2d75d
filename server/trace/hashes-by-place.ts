import type { ZipMember } from "../../store/archives/zip-member.ts";

/**
 * SHA-256 hex of unpacked contents, by where they lie in one archive file and what is declared of them. Two readers of
 * the same bytes that agree on that get the same content, whatever name or header led them there.
 */
export type HashesByPlace = ReadonlyMap<string, string>;

export const placeOf = ({ offset, storedSize, size, method, crc32 }: ZipMember): string =>
  `${offset} ${storedSize} ${size} ${method} ${crc32}`;

/** Of all traces together: some 20 MB. */
const MOST_HASHES = 100_000;

/**
 * What was hashed of archives whose traces wait to be processed. In memory only: whoever finds nothing hashes the
 * archive, which takes longer and comes to the same.
 */
export interface KnownHashes {
  keep(traceId: string, hashes: HashesByPlace): void;
  /** Each is needed once. */
  take(traceId: string): HashesByPlace;
}

export function createKnownHashes(): KnownHashes {
  const byTrace = new Map<string, HashesByPlace>();
  let count = 0;

  function take(traceId: string): HashesByPlace {
    const hashes = byTrace.get(traceId) ?? new Map();
    if (byTrace.delete(traceId)) count -= hashes.size;
    return hashes;
  }

  return {
    keep(traceId, hashes) {
      if (hashes.size === 0 || hashes.size > MOST_HASHES) return;
      byTrace.set(traceId, hashes);
      count += hashes.size;
      // The oldest belong to traces that are gone, or wait behind many others.
      for (const [oldest] of byTrace) {
        if (count <= MOST_HASHES) break;
        take(oldest);
      }
    },
    take,
  };
}
