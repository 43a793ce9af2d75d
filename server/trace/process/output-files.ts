import { open } from "node:fs/promises";
import { join } from "node:path";

/** A file that an attempt made in its work folder, fsynced. */
export interface OutputFile {
  kind: "ndjson" | "event_index" | "rrweb" | "snapshots" | "summary" | "manifest";
  name: string;
  size: number;
  /** SHA-256 hex. */
  sha256: string;
  mediaType: string;
}

/** Writes a text file to the disk itself. */
export async function writeOutput(
  folder: string,
  file: Pick<OutputFile, "kind" | "name" | "mediaType">,
  content: string | Uint8Array,
): Promise<OutputFile> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const handle = await open(join(folder, file.name), "w", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return {
    ...file,
    size: bytes.byteLength,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  };
}

/** Size and hash of a file that was written and fsynced already. */
export async function describeOutput(
  folder: string,
  file: Pick<OutputFile, "kind" | "name" | "mediaType">,
): Promise<OutputFile> {
  const hasher = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of Bun.file(join(folder, file.name)).stream()) {
    hasher.update(chunk);
    size += chunk.byteLength;
  }
  return { ...file, size, sha256: hasher.digest("hex") };
}
