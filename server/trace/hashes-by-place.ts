import type { ZipMember } from "../../store/archives/zip-member.ts";

/**
 * SHA-256 hex of unpacked contents, by where they lie in one archive file and what is declared of them. Two readers of
 * the same bytes that agree on that get the same content, whatever name or header led them there.
 */
export type HashesByPlace = ReadonlyMap<string, string>;

export const placeOf = ({ offset, storedSize, size, method, crc32 }: ZipMember): string =>
  `${offset} ${storedSize} ${size} ${method} ${crc32}`;
