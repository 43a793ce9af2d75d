/*
 * The records of a zip file with stored members (PKWARE APPNOTE 6.3.10), with ZIP64 fields where sizes need them.
 */

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

export interface DirectoryMember {
  name: string;
  /** Bytes. */
  size: number;
  /** Where its local header begins. */
  header: number;
  /** CRC-32 of its bytes. */
  crc: number;
}

/** What stands before the bytes of a stored member. */
export function localHeader(member: { name: string; size: number }, crc: number): Buffer {
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

/** A member's entry in the directory. @param member.header where its local header begins */
export function centralEntry(member: DirectoryMember): Buffer {
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

/** What ends an archive. @param size bytes of the directory; @param offset where it begins */
export function endRecords(count: number, size: number, offset: number): Buffer {
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
