import { gunzipSync, inflateSync } from "node:zlib";
import { unzipSync } from "fflate";
import type { Search } from "./search.ts";

const FILL = 0x2a;
/** What is packed is unpacked as far as this. */
const MOST_UNPACKED = 64 * 1024 * 1024;
/** An archive within an archive, and once more. */
const DEEPEST = 3;

/**
 * The bytes with asterisks in the place of what is searched for, so that lengths and places within them stay true. Those of a gzip,
 * zlib or zip file that holds it are all asterisks: it could not be unpacked any more otherwise.
 * @param masked is called for each place
 * @returns the same array when it holds nothing of it
 */
export function maskBytes(bytes: Uint8Array, search: Search, masked: () => string): Uint8Array {
  if (search.isEmpty) return bytes;
  const spans = isPackedWith(bytes, search, 0) ? [{ from: 0, to: bytes.length }] : search.find(latin1(bytes));
  if (spans.length === 0) return bytes;
  const out = Uint8Array.from(bytes);
  for (const { from, to } of spans) {
    masked();
    out.fill(FILL, from, to);
  }
  return out;
}

/** Each byte as a unit of text. */
const latin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");

function isPackedWith(bytes: Uint8Array, search: Search, depth: number): boolean {
  return unpacked(bytes).some(
    (one) => search.has(latin1(one)) || (depth < DEEPEST && isPackedWith(one, search, depth + 1)),
  );
}

/** By how they begin: gzip (RFC 1952), zlib (RFC 1950) and zip. None for everything else, and for what is broken. */
function unpacked(bytes: Uint8Array): Uint8Array[] {
  const [first = 0, second = 0] = bytes;
  try {
    if (first === 0x1f && second === 0x8b) return [gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED })];
    if (first === 0x78 && (first * 256 + second) % 31 === 0)
      return [inflateSync(bytes, { maxOutputLength: MOST_UNPACKED })];
    if (first === 0x50 && second === 0x4b) return unzipped(bytes);
  } catch {
    // It only begins like one, or unpacks to more than anybody could look through.
  }
  return [];
}

function unzipped(bytes: Uint8Array): Uint8Array[] {
  let size = 0;
  return Object.values(
    unzipSync(bytes, {
      filter({ originalSize }) {
        size += originalSize;
        return size <= MOST_UNPACKED;
      },
    }),
  );
}
