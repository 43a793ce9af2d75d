import type { FileHandle } from "node:fs/promises";
import { ArchiveError, bomb, unreadable } from "./errors.ts";
import { DIRECTORY_SIGNATURES, type Found, findSignature, LOCAL_HEADER, memberAt } from "./local-members.ts";
import { memberPieces, readExactly } from "./member.ts";
import { type ArchiveCaps, checkMemberName, quote } from "./policy.ts";
import type { BegunMember, PartialMember, ZipMember } from "./zip-member.ts";

/**
 * Members by their local headers, for a file without a (whole) directory. Each one is read and checked, so that what
 * is listed can be read; what cannot is told in `lost`.
 * @throws ArchiveError when nothing can be read, or for what must not be unpacked.
 */
export async function salvage(
  file: FileHandle,
  size: number,
  caps: ArchiveCaps,
  why: string,
): Promise<{ members: ZipMember[]; lost: string; partial: BegunMember | null }> {
  const members: ZipMember[] = [];
  const known = new Map<string, Found>();
  const damaged: string[] = [];
  let partial: BegunMember | null = null;
  let gaps = 0;
  let unpacked = 0;
  let at = 0;

  while (at < size) {
    const found = await memberAt(file, at, size);
    if (found === "directory") break;
    if (found === null) {
      const next = await findSignature(file, at + 1, size, (word) => word === LOCAL_HEADER);
      if (next === null && at === 0) break;
      gaps += (next ?? size) - at;
      at = next ?? size;
      continue;
    }
    checkMemberName(found.name, caps.maxDepth);
    if (!("crc32" in found)) {
      const begun = await begunSize(file, found, caps.maxUnpackedBytes - unpacked);
      if (begun === null) throw tooMuch(caps);
      partial = { ...found, size: begun };
      break;
    }
    at = found.next;
    unpacked += found.size;
    if (unpacked > caps.maxUnpackedBytes) throw tooMuch(caps);
    if (members.length + damaged.length >= caps.maxMembers)
      throw bomb(`The archive has more than ${caps.maxMembers} members, which is the cap.`);
    const twin = known.get(found.name);
    if (twin && (twin.crc32 !== found.crc32 || twin.size !== found.size))
      throw unreadable(`The archive has two different members named ${quote(found.name)}.`);
    if (twin || found.name.endsWith("/")) continue;
    known.set(found.name, found);
    const { next: _, ...member } = found;
    if (await isWhole(file, member)) members.push(member);
    else damaged.push(member.name);
  }

  if (members.length === 0 && !partial) throw unreadable(nothingFound(await firstBytes(file, size), why));
  return { members, partial, lost: describeLoss(members.length, partial, damaged, gaps) };
}

function nothingFound(first: Buffer, why: string): string {
  if (first.length >= 4 && [LOCAL_HEADER, ...DIRECTORY_SIGNATURES].includes(first.readUInt32LE(0)))
    return `The zip archive has no readable member (${why}).`;
  return "The file is no zip archive: it does not begin as one and has no zip directory at its end.";
}

async function firstBytes(file: FileHandle, size: number): Promise<Buffer> {
  return readExactly(file, 0, Math.min(4, size));
}

function describeLoss(count: number, partial: PartialMember | null, damaged: string[], gaps: number): string {
  const parts = [
    `The zip archive's directory is missing or damaged, probably because the file was cut short; ` +
      `${count === 1 ? "one member was" : `${count} members were`} found by their own headers.`,
  ];
  if (partial) parts.push(`The member ${quote(partial.name)} ends early; what followed it is lost.`);
  if (damaged.length > 0) {
    const shown = damaged.slice(0, 5).map(quote).join(", ");
    const more = damaged.length > 5 ? ` and ${damaged.length - 5} more` : "";
    parts.push(`Damaged and left out: ${shown}${more}.`);
  }
  if (gaps > 0)
    parts.push(
      `${gaps === 1 ? "One byte between members belongs" : `${gaps} bytes between members belong`} to none.`,
    );
  return parts.join(" ");
}

const tooMuch = ({ maxUnpackedBytes }: Pick<ArchiveCaps, "maxUnpackedBytes">) =>
  bomb(`The archive unpacks to more than ${maxUnpackedBytes} bytes, which is the cap.`);

/** Nothing declares how many bytes a member without its end unpacks to: they are counted. @returns null for more than `most` */
async function begunSize(file: FileHandle, member: PartialMember, most: number): Promise<number | null> {
  let size = 0;
  try {
    for await (const piece of memberPieces(file, member)) {
      size += piece.byteLength;
      if (size > most) return null;
    }
  } catch (error) {
    // What is damaged further on is told to whoever reads it.
    if (!(error instanceof ArchiveError)) throw error;
  }
  return size;
}

async function isWhole(file: FileHandle, member: ZipMember): Promise<boolean> {
  try {
    for await (const _ of memberPieces(file, member));
    return true;
  } catch (error) {
    if (error instanceof ArchiveError) return false;
    throw error;
  }
}
