import type { ZipArchive } from "../../../store/archives/zip.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { type HashesByPlace, placeOf } from "../hashes-by-place.ts";

/** After which others get their turn: some tens of milliseconds. */
const BYTES_PER_TURN = 4 << 20;
/** Larger members are hashed in pieces. */
const WHOLE = 8 << 20;

/** Where the bytes of a hash lie in the archive. */
export interface ArchivedBlob {
  hash: string;
  offset: number;
  storedSize: number;
  size: number;
  method: 0 | 8;
}

export interface ArchiveHashes {
  /** SHA-256 hex of a member's content; null when there is none of that name or it is damaged. */
  of(name: string): string | null;
  /** The member that a hash was given for. */
  locate(hash: string): ArchivedBlob | null;
  /** Damaged members that were asked for or come upon. */
  damaged: string[];
}

/** The members that hold what events refer to; the rest is the text that is read. */
export const isResource = (name: string): boolean => !/(?:^|[./-])(?:trace|network|stacks)$/.test(name);

/**
 * Hashes the members that events may name, all of them before the reader asks: the reader asks synchronously, and most
 * of what an archive holds is named.
 * @param onBytes told the unpacked size of each member that is done.
 * @param known what has been hashed of this very file already; damaged members are not among it.
 */
export async function hashMembers(
  archive: ZipArchive,
  isWanted: (name: string) => boolean,
  onBytes: (size: number) => void,
  known: HashesByPlace = new Map(),
): Promise<ArchiveHashes> {
  const hashes = new Map<string, string>();
  const members = new Map<string, ZipMember>();
  const damaged: string[] = [];
  const wanted = archive.members.filter(({ name }) => isWanted(name));
  await hashEach(
    archive,
    wanted,
    (member, hash) => {
      if (hash === null) damaged.push(member.name);
      else {
        hashes.set(member.name, hash);
        if (!members.has(hash)) members.set(hash, member);
      }
      onBytes(member.size);
    },
    known,
  );

  return {
    damaged,
    of: (name) => hashes.get(name) ?? null,
    locate(hash) {
      const member = members.get(hash);
      if (!member) return null;
      const { offset, storedSize, size, method } = member;
      return { hash, offset, storedSize, size, method };
    },
  };
}

/** SHA-256 hex of the content of each of these members, in their order; null for a damaged one. */
export async function hashEach(
  archive: Pick<ZipArchive, "use" | "stream">,
  members: readonly ZipMember[],
  onHash: (member: ZipMember, hash: string | null) => void,
  known: HashesByPlace = new Map(),
): Promise<void> {
  let turn = 0;
  for (const member of members) {
    const hash = known.get(placeOf(member));
    onHash(member, hash ?? (await hashMember(archive, member).catch(isDamage)));
    if (hash === undefined) turn += member.size;
    if (turn < BYTES_PER_TURN) continue;
    turn = 0;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

async function hashMember(archive: Pick<ZipArchive, "use" | "stream">, member: ZipMember): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  if (Math.max(member.size, member.storedSize) <= WHOLE) archive.use(member, (bytes) => hasher.update(bytes));
  else for await (const chunk of archive.stream(member)) hasher.update(chunk);
  return hasher.digest("hex");
}

/** A damaged member costs its own blob, not the trace; whatever else goes wrong is passed on. */
function isDamage(error: unknown): null {
  if (error instanceof Error && "kind" in error && error.kind === "bundle_unreadable") return null;
  throw error;
}
