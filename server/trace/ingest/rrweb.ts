import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { ArchiveError } from "../../../store/archives/errors.ts";
import type { Durability } from "../../../store/blobs/sync.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { describeFile } from "../../../store/files/write.ts";
import type { Budget } from "./budget.ts";
import { writeFile } from "./sink.ts";
import type { StagedArtifact } from "./staged.ts";
import { zstdContent } from "./zstd.ts";

/**
 * Stores a DOM recording as zstd: one that comes compressed as it is, once it was seen to unpack within the budget.
 * One that was cut short is kept with a warning.
 */
export async function writeRrweb(
  bytes: AsyncIterable<Uint8Array>,
  isCompressed: boolean,
  into: { input: { trace: string }; budget: Budget; durability: Durability; warnings: string[] },
): Promise<StagedArtifact> {
  const name = TRACE_FILES.rrweb;
  const path = join(into.input.trace, name);
  const { size, sha256 } = isCompressed ? await writeFile(path, bytes) : await compress(path, bytes);
  into.durability.add(path);
  if (isCompressed && !(await unpacksWithin(path, into.budget)))
    into.warnings.push(
      "The DOM recording (rrweb.ndjson.zst) is damaged or was cut short; it is kept as it came.",
    );
  return { kind: "rrweb", name, size, sha256, mediaType: "application/zstd" };
}

async function compress(path: string, bytes: AsyncIterable<Uint8Array>) {
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  await pipeline(Readable.from(bytes), zstd, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  return describeFile(path);
}

/** @returns false when it cannot be unpacked whole. @throws ArchiveError `bundle_bomb` */
async function unpacksWithin(path: string, budget: Budget): Promise<boolean> {
  try {
    for await (const chunk of zstdContent(path)) budget.spend(chunk.length);
    return true;
  } catch (error) {
    if (error instanceof ArchiveError && error.kind === "bundle_unreadable") return false;
    throw error;
  }
}
