import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";

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

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const END64_LOCATOR = 0x07064b50;
/** Sizes and offsets from here on need the ZIP64 fields. */
const LARGE = 0xffff_ffff;
const MANY = 0xffff;
const UTF8_NAMES = 0x0800;
/** 1980-01-01: an archive of the same files is the same bytes. */
const DATE = 0x0021;
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

function localHeader(member: { name: string; size: number }, crc: number): Buffer {
  const name = Buffer.from(member.name);
  const isLarge = member.size >= LARGE;
  const extra = isLarge ? zip64Extra([member.size, member.size]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  header.writeUInt16LE(isLarge ? 45 : 20, 4);
  header.writeUInt16LE(UTF8_NAMES, 6);
  header.writeUInt16LE(DATE, 12);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(Math.min(member.size, LARGE), 18);
  header.writeUInt32LE(Math.min(member.size, LARGE), 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function centralEntry(member: { name: string; size: number; header: number; crc: number }): Buffer {
  const name = Buffer.from(member.name);
  const isLarge = member.size >= LARGE;
  const isFar = member.header >= LARGE;
  const large = [...(isLarge ? [member.size, member.size] : []), ...(isFar ? [member.header] : [])];
  const extra = large.length > 0 ? zip64Extra(large) : Buffer.alloc(0);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(CENTRAL, 0);
  entry.writeUInt16LE(45, 4);
  entry.writeUInt16LE(large.length > 0 ? 45 : 20, 6);
  entry.writeUInt16LE(UTF8_NAMES, 8);
  entry.writeUInt16LE(DATE, 14);
  entry.writeUInt32LE(member.crc, 16);
  entry.writeUInt32LE(Math.min(member.size, LARGE), 20);
  entry.writeUInt32LE(Math.min(member.size, LARGE), 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(Math.min(member.header, LARGE), 42);
  return Buffer.concat([entry, name, extra]);
}

function zip64Extra(values: number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  values.forEach((value, index) => {
    extra.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  });
  return extra;
}

function endRecords(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(Math.min(count, MANY), 8);
  end.writeUInt16LE(Math.min(count, MANY), 10);
  end.writeUInt32LE(Math.min(size, LARGE), 12);
  end.writeUInt32LE(Math.min(offset, LARGE), 16);
  if (count < MANY && size < LARGE && offset < LARGE) return end;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(END64, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(45, 12);
  end64.writeUInt16LE(45, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(END64_LOCATOR, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end64, locator, end]);
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
