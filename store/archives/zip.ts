import { type FileHandle, open } from "node:fs/promises";
import { NotAZipDirectory, readDirectory } from "./directory.ts";
import { unreadable } from "./errors.ts";
import { createMemberUse, readMember, streamMember } from "./member.ts";
import { type ArchiveCaps, DEFAULT_CAPS } from "./policy.ts";
import { salvage } from "./salvage.ts";
import type { BegunMember, PartialMember, UseMember, ZipMember } from "./zip-member.ts";

export interface ZipArchive {
  /** In the order of the file. Folders are left out. */
  members: ZipMember[];
  get(name: string): ZipMember | undefined;
  /** True when the directory was missing or damaged and the members were found by their local headers. */
  salvaged: boolean;
  /** What was lost, as a sentence for people; null when nothing was. */
  lost: string | null;
  /** Only of a salvaged archive: the member that was being written when the file ended. */
  partial: BegunMember | null;
  /**
   * All the bytes, checked against size and checksum. For small members; large ones go through `stream`.
   * @throws ArchiveError `bundle_unreadable`
   */
  read(member: ZipMember): Promise<Uint8Array>;
  use: UseMember;
  /** The bytes in pieces; errors with ArchiveError when they are more or others than declared. */
  stream(member: ZipMember | PartialMember): ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a zip file (PKWARE APPNOTE 6.3.10, ZIP64 included) for random access. Only the directory and the local
 * headers are read. A file that lost its directory is salvaged.
 * @throws ArchiveError `bundle_unreadable` for what is no readable archive or must not be unpacked, `bundle_bomb`
 * past a cap; an Error with `code` ENOENT and the like when the file cannot be opened.
 */
export async function openZip(path: string, caps: Partial<ArchiveCaps> = {}): Promise<ZipArchive> {
  const limits = { ...DEFAULT_CAPS, ...caps };
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const found = await findMembers(file, size, limits);
    const byName = new Map(found.members.map((member) => [member.name, member]));
    return {
      ...found,
      get: (name) => byName.get(name),
      read: (member) => readMember(file, member),
      use: createMemberUse(file),
      stream: (member) => streamMember(file, member),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function findMembers(file: FileHandle, size: number, caps: ArchiveCaps) {
  if (size === 0) throw unreadable("The archive is empty (0 bytes).");
  try {
    return { members: await readDirectory(file, size, caps), salvaged: false, lost: null, partial: null };
  } catch (error) {
    if (!(error instanceof NotAZipDirectory)) throw error;
    return { ...(await salvage(file, size, caps, error.message)), salvaged: true };
  }
}
