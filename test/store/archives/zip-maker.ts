import { crc32, deflateRawSync } from "node:zlib";

/** A member to be written as told, however wrong that is. */
export interface Made {
  name: string;
  content: Uint8Array;
  /** 8 (deflate) when absent. */
  method?: number;
  /** Lies for the directory. */
  declaredSize?: number;
  declaredCrc?: number;
  flags?: number;
  /** Unix mode for the external attributes. */
  mode?: number;
  /** Another name in the local header. */
  localName?: string;
  /** Put sizes and checksum behind the data, as streaming writers do; without its signature when "bare". */
  descriptor?: boolean | "bare";
  /** Points the directory to another local header. */
  offset?: number;
}

/** A zip file made by hand (PKWARE APPNOTE 4.3), for archives that no writer would make. */
export function makeZip(
  members: Made[],
  more: { entryCount?: number; comment?: string; zip64Count?: number } = {},
): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const put = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const member of members) {
    const method = member.method ?? 8;
    const stored = method === 8 ? deflateRawSync(member.content) : Buffer.from(member.content);
    const checksum = member.declaredCrc ?? crc32(member.content);
    const size = member.declaredSize ?? member.content.length;
    const flags = (member.flags ?? 0) | 0x800 | (member.descriptor ? 0x8 : 0);
    const offset = member.offset ?? at;
    const name = Buffer.from(member.name);
    const localName = Buffer.from(member.localName ?? member.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    if (!member.descriptor) sizes(local, 14, checksum, stored.length, size);
    local.writeUInt16LE(localName.length, 26);
    put(local);
    put(localName);
    put(stored);
    if (member.descriptor) {
      const descriptor = Buffer.alloc(16);
      descriptor.writeUInt32LE(0x08074b50, 0);
      sizes(descriptor, 4, checksum, stored.length, size);
      put(member.descriptor === "bare" ? descriptor.subarray(4) : descriptor);
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x0314, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(method, 10);
    sizes(central, 16, checksum, stored.length, size);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(((member.mode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    directory.push(central, name);
  }
  const start = at;
  directory.forEach(put);
  const length = at - start;
  if (more.zip64Count !== undefined) zip64(more.zip64Count, start, length).forEach(put);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(more.entryCount ?? members.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(more.entryCount ?? members.length, 0xffff), 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(start, 16);
  end.writeUInt16LE(more.comment?.length ?? 0, 20);
  put(end);
  put(Buffer.from(more.comment ?? ""));
  return new Uint8Array(Buffer.concat(parts));
}

function sizes(header: Buffer, at: number, checksum: number, storedSize: number, size: number): void {
  header.writeUInt32LE(checksum >>> 0, at);
  header.writeUInt32LE(storedSize, at + 4);
  header.writeUInt32LE(size, at + 8);
}

function zip64(count: number, start: number, length: number): Buffer[] {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + length), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}
