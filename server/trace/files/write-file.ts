import { open } from "node:fs/promises";

/**
 * Writes a stream to a new file and fsyncs it.
 * @returns SHA-256 hex of the bytes
 */
export async function writeDurably(path: string, bytes: ReadableStream<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await file.appendFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}
