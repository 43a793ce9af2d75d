import { open } from "node:fs/promises";

/** A file that was written and fsynced. */
export interface WrittenFile {
  path: string;
  size: number;
  /** SHA-256 hex. */
  sha256: string;
  /** The first 16 bytes, or all where there are fewer. */
  head: Uint8Array;
}

const HEAD_BYTES = 16;

/** Writes a new file, hashed on the way, and fsyncs it. @throws what reading the bytes throws; the file is the caller's to remove */
export async function writeDurably(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<WrittenFile> {
  const hasher = new Bun.CryptoHasher("sha256");
  const head = new Uint8Array(HEAD_BYTES);
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      if (size < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - size), size);
      hasher.update(chunk);
      await file.writeFile(chunk);
      size += chunk.byteLength;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { path, size, sha256: hasher.digest("hex"), head: head.slice(0, size) };
}

/** Size and SHA-256 hex of a file. */
export async function describeFile(path: string): Promise<{ size: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of Bun.file(path).stream()) {
    hasher.update(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hasher.digest("hex") };
}
