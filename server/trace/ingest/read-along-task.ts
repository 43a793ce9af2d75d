import { type GrowingZip, openGrowing } from "../../../store/archives/growing.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { type HashesByPlace, placeOf } from "../hashes-by-place.ts";
import { hashEach, isResource } from "../process/archive-hashes.ts";
import { beginConversion } from "../process/begun.ts";

export interface ReadAlongInput {
  /** A Playwright archive that is still being written. */
  path: string;
  /** Where the next header is expected. */
  at: number;
  /** So far it is written. */
  end: number;
  /** Trace and network files that came before; null when they were read. */
  texts: readonly ZipMember[] | null;
  /** See `beginConversion`. */
  seed: string;
}

export interface ReadAlongOutput {
  hashes: HashesByPlace;
  /** Trace and network files so far; null when they were read, or cannot be. */
  texts: readonly ZipMember[] | null;
  begun: Uint8Array | null;
  /** Where to go on; null when nothing further can be read before the file is whole. */
  next: number | null;
}

/** What unpacks to more is left for later: an archive that will be refused must not cost more than it brings. */
const MOST_RATIO = 20;
/** Text packs better. */
const MOST_TEXT_RATIO = 100;
const MOST_TEXT = 64 * 1024 * 1024;

const isText = (name: string): boolean => /\.(?:trace|network)$/.test(name);

const isWorthwhile = ({ name, size, storedSize }: ZipMember): boolean =>
  isResource(name) && size <= storedSize * MOST_RATIO;

/**
 * The task `ingest.read_along`: hashes the members that have come in whole, and reads the trace files when others follow them, as they do
 * in all archives of a recorder. Damaged members are left out, and whatever is odd: who reads the whole file will tell what it is.
 */
export async function readAlong({
  path,
  at,
  end,
  texts: before,
  seed,
}: ReadAlongInput): Promise<ReadAlongOutput> {
  const archive = await openGrowing(path);
  try {
    const { members, next } = await archive.membersBetween(at, end);
    const texts = before && [...before, ...members.filter(({ name }) => isText(name))];
    const last = members.at(-1);
    const isRipe = last && !isText(last.name) && texts?.some(({ name }) => name.endsWith(".trace"));
    const begun = isRipe ? await begin(archive, texts!, seed) : null;
    const hashes = new Map<string, string>();
    await hashEach(archive, members.filter(isWorthwhile), (member, hash) => {
      if (hash !== null) hashes.set(placeOf(member), hash);
    });
    return { hashes, texts: isRipe ? null : texts, begun, next };
  } finally {
    await archive.close();
  }
}

/** Null also for what is wrong with it. */
async function begin(
  archive: GrowingZip,
  texts: readonly ZipMember[],
  seed: string,
): Promise<Uint8Array | null> {
  const size = texts.reduce((sum, text) => sum + text.size, 0);
  const storedSize = texts.reduce((sum, text) => sum + text.storedSize, 0);
  if (size > Math.min(MOST_TEXT, storedSize * MOST_TEXT_RATIO)) return null;
  try {
    return await beginConversion(archive, texts, seed);
  } catch (error) {
    if (error instanceof Error && "kind" in error) return null;
    throw error;
  }
}
