import { open } from "node:fs/promises";
import { ArchiveError } from "./errors.ts";
import { memberAt } from "./local-members.ts";
import { createMemberUse, streamMember } from "./member.ts";
import type { ZipArchive } from "./zip.ts";
import type { ZipMember } from "./zip-member.ts";

/** A descriptor behind a member and the header after it: with less in sight, its end could be read wrong. */
const SIGHT = 64;

/**
 * A zip file that is still being written. What its local headers tell is no promise: only the directory at the end says
 * which members there are, so that nothing may rest on these but what is true of the bytes themselves.
 */
export interface GrowingZip extends Pick<ZipArchive, "use" | "stream" | "close"> {
  /**
   * The members whose headers follow each other from `at` and that lie before `end`, which is written.
   * @returns where to go on when there is more; null when the headers tell nothing further.
   */
  membersBetween(at: number, end: number): Promise<{ members: ZipMember[]; next: number | null }>;
}

/** @throws an Error with `code` ENOENT and the like when the file cannot be opened. */
export async function openGrowing(path: string): Promise<GrowingZip> {
  const file = await open(path, "r");
  return {
    async membersBetween(from, end) {
      const members: ZipMember[] = [];
      for (let at = from; ; ) {
        const found = await memberAt(file, at, end).catch(isRefusal);
        if (found && found !== "directory" && "next" in found && found.next + SIGHT <= end) {
          const { next, ...member } = found;
          members.push(member);
          at = next;
          continue;
        }
        const mayCome = at + SIGHT > end || (found !== null && found !== "directory");
        return { members, next: mayCome ? at : null };
      }
    },
    use: createMemberUse(file),
    stream: (member) => streamMember(file, member),
    close: () => file.close(),
  };
}

/** The whole archive will be refused for it, in its own words. */
function isRefusal(error: unknown): null {
  if (error instanceof ArchiveError) return null;
  throw error;
}
