import { crc32 } from "node:zlib";
import { centralEntry, type DirectoryMember, endRecords, localHeader } from "./zip-records.ts";

/** A zip file of stored members that comes into being piece by piece, for whoever keeps it for a moment only. */
export interface ZipPieces {
  /** What the archive goes on with. */
  member(name: string, bytes: Uint8Array): Uint8Array[];
  /** What it ends with. */
  end(): Uint8Array;
}

/** What lasts is written with `writeZip`, which checks and syncs it. */
export function createZipPieces(): ZipPieces {
  const members: DirectoryMember[] = [];
  let at = 0;
  return {
    member(name, bytes) {
      const member = { name, size: bytes.length, header: at, crc: crc32(bytes) };
      const head = localHeader(member, member.crc);
      members.push(member);
      at += head.length + bytes.length;
      return [head, bytes];
    },
    end() {
      const directory = Buffer.concat(members.map(centralEntry));
      return Buffer.concat([directory, endRecords(members.length, directory.length, at)]);
    },
  };
}
