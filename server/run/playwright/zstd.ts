import * as zlib from "node:zlib";

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Frame header (RFC 8878, section 3.1.1.1): no checksum, no content size, a window of 8 MiB. */
const HEADER = [0x00, 0x68];
const LARGEST_BLOCK = 128 * 1024;

/** A text as zstd: compressed where this Node can (22.15), else in blocks that hold it as it is. */
export async function toZstd(text: string): Promise<Uint8Array> {
  const { zstdCompress } = zlib as Partial<Pick<typeof zlib, "zstdCompress">>;
  if (!zstdCompress) return storedFrame(Buffer.from(text));
  return new Promise((resolve, reject) => {
    zstdCompress(text, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

/** A valid frame of raw blocks (RFC 8878, section 3.1.1.2): each has its size and kind in three bytes. */
export function storedFrame(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [Uint8Array.from([...MAGIC, ...HEADER])];
  for (let at = 0; ; at += LARGEST_BLOCK) {
    const block = bytes.subarray(at, at + LARGEST_BLOCK);
    const isLast = at + LARGEST_BLOCK >= bytes.length;
    const head = (block.length << 3) | Number(isLast);
    pieces.push(Uint8Array.from([head & 0xff, (head >> 8) & 0xff, head >> 16]), block);
    if (isLast) return Buffer.concat(pieces);
  }
}
