import { closeSync, openSync, writeSync } from "node:fs";

/** A file that was written, with its content's SHA-256 in hex and its first bytes. */
export interface WrittenFile {
  path: string;
  size: number;
  sha256: string;
  head: Uint8Array;
}

const HEAD_BYTES = 16;

/**
 * Writes chunks to a new file and hashes them on the way. Synchronous calls: this runs in a worker that has nothing
 * else to do, where they cost a third of asynchronous ones. The caller fsyncs.
 */
export async function writeFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
  const hasher = new Bun.CryptoHasher("sha256");
  const head = new Uint8Array(HEAD_BYTES);
  const file = openSync(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      if (size < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - size), size);
      hasher.update(chunk);
      // A disk that is nearly full takes a part without an error; the next write tells.
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at, chunk.length - at);
      size += chunk.length;
    }
  } finally {
    closeSync(file);
  }
  return { path, size, sha256: hasher.digest("hex"), head: head.subarray(0, size) };
}
