import { openGrowing } from "../../../store/archives/growing.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { type HashesByPlace, placeOf } from "../hashes-by-place.ts";
import { hashEach, isResource } from "../process/archive-hashes.ts";

export interface ReadAlongInput {
  /** A Playwright archive that is still being written. */
  path: string;
  /** Where the next header is expected. */
  at: number;
  /** So far it is written. */
  end: number;
}

export interface ReadAlongOutput {
  hashes: HashesByPlace;
  /** Where to go on; null when nothing further can be read before the file is whole. */
  next: number | null;
}

/** What unpacks to more is left for later: an archive that will be refused must not cost more than it brings. */
const MOST_RATIO = 20;

const isWorthwhile = ({ name, size, storedSize }: ZipMember): boolean =>
  isResource(name) && size <= storedSize * MOST_RATIO;

/**
 * The task `ingest.read_along`: hashes the members that have come in whole. Damaged members are left out, and whatever
 * is odd: who reads the whole file will tell what it is.
 */
export async function readAlong({ path, at, end }: ReadAlongInput): Promise<ReadAlongOutput> {
  const archive = await openGrowing(path);
  try {
    const { members, next } = await archive.membersBetween(at, end);
    const hashes = new Map<string, string>();
    await hashEach(archive, members.filter(isWorthwhile), (member, hash) => {
      if (hash !== null) hashes.set(placeOf(member), hash);
    });
    return { hashes, next };
  } finally {
    await archive.close();
  }
}
