import { join } from "node:path";
import { describeFile, writeDurably } from "../../../store/files/write.ts";

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
  const { size, sha256 } = await writeDurably(join(folder, file.name), [bytes]);
  return { ...file, size, sha256 };
}

/** Size and hash of a file that was written and fsynced already. */
export async function describeOutput(
  folder: string,
  file: Pick<OutputFile, "kind" | "name" | "mediaType">,
): Promise<OutputFile> {
  return { ...file, ...(await describeFile(join(folder, file.name))) };
}
