import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { centralEntry, endRecords, localHeader } from "./zip-records.ts";

/** A member to write. Its bytes must be `size` many and hash to `sha256`, or the archive is refused. */
export interface NewMember {
  name: string;
  size: number;
  /** Hex. */
  sha256: string;
  bytes(): ReadableStream<Uint8Array> | Uint8Array;
}

/** Where the bytes of a written member lie. */
export interface WrittenMember {
  name: string;
  offset: number;
  size: number;
}

export interface WrittenZip {
  members: WrittenMember[];
  size: number;
  /** Hex, of the whole file. */
  sha256: string;
}

/** The bytes of a member are not those that were announced: their source is damaged. */
export class MemberMismatchError extends Error {
  override name = "MemberMismatchError";
}

const HASH_CHUNK = 1 << 20;

/**
 * Writes a zip file of stored members (PKWARE APPNOTE 6.3.10, ZIP64 where sizes need it) and fsyncs it. Every member is
 * checked against its hash on the way in.
 * @throws MemberMismatchError; the unfinished file is the caller's to remove.
 */
export async function writeZip(path: string, members: Iterable<NewMember>): Promise<WrittenZip> {
  const file = await open(path, "w+", 0o600);
  try {
    const written: (WrittenMember & { header: number; crc: number })[] = [];
    let at = 0;
    for (const member of members) {
      const header = at;
      const offset = at + localHeader(member, 0).length;
      const crc = await copy(file, offset, member);
      await writeAt(file, localHeader(member, crc), header);
      written.push({ name: member.name, offset, size: member.size, header, crc });
      at = offset + member.size;
    }
    const directory = written.map(centralEntry);
    const directorySize = directory.reduce((sum, entry) => sum + entry.length, 0);
    const tail = Buffer.concat([...directory, endRecords(written.length, directorySize, at)]);
    await writeAt(file, tail, at);
    await file.sync();
    const size = at + tail.length;
    return {
      members: written.map(({ name, offset, size }) => ({ name, offset, size })),
      size,
      sha256: await hashFile(file, size),
    };
  } finally {
    await file.close();
  }
}

/** @returns the checksum of the bytes */
async function copy(file: FileHandle, offset: number, member: NewMember): Promise<number> {
  const hash = createHash("sha256");
  let crc = 0;
  let done = 0;
  const source = member.bytes();
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    hash.update(chunk);
    crc = crc32(chunk, crc);
    await writeAt(file, chunk, offset + done);
    done += chunk.length;
  }
  if (done === member.size && hash.digest("hex") === member.sha256) return crc;
  throw new MemberMismatchError(`"${member.name}" is damaged: its bytes are not those on record.`);
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function hashFile(file: FileHandle, size: number): Promise<string> {
  const hash = createHash("sha256");
  const chunk = new Uint8Array(HASH_CHUNK);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex");
}
