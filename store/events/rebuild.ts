import { closeSync, openSync } from "node:fs";
import { fileSize, readExactly } from "./disk.ts";
import { DamagedFileError } from "./errors.ts";
import { decompressFrameAsync } from "./frames.ts";
import { createIndexBuilder, type IndexBuilder } from "./index-builder.ts";
import { type EventFileIdentity, writeIndexFile } from "./index-file.ts";
import { scanFrames } from "./scan.ts";
import { SEEK_FOOTER_SIZE, seekTableSize } from "./seek-table.ts";
import type { EventFileInfo } from "./types.ts";

/** Identity of a closed event file, and where its frames end; null when it has no seek table (yet). */
export function identify(fd: number): (EventFileIdentity & { framesEnd: number }) | null {
  const size = fileSize(fd);
  if (size < 8 + SEEK_FOOTER_SIZE) return null;
  const tableSize = seekTableSize(readExactly(fd, size - SEEK_FOOTER_SIZE, SEEK_FOOTER_SIZE));
  if (tableSize === null || tableSize > size) return null;
  const table = readExactly(fd, size - tableSize, tableSize);
  if (table.readUInt32LE(0) !== 0x184d2a5e || table.readUInt32LE(4) !== tableSize - 8) return null;
  return { size, seekTableChecksum: Bun.hash.crc32(table), framesEnd: size - tableSize };
}

/**
 * Reads the whole of a closed event file into a new index.
 * @throws DamagedFileError when a frame is damaged: the message says at which byte.
 */
export async function indexClosedFile(fd: number, framesEnd: number): Promise<IndexBuilder> {
  const builder = createIndexBuilder();
  const end = await scanFrames(fd, framesEnd, builder);
  if (end !== framesEnd) throw new DamagedFileError(`The event file is damaged in the frame at byte ${end}.`);
  return builder;
}

/** A frame of a file whose index is in memory. */
export function frameReader(fd: number, builder: IndexBuilder) {
  return (frame: number): Promise<Buffer> => {
    const { offset, compressedSize, size } = builder.frames[frame]!;
    return decompressFrameAsync(readExactly(fd, offset, compressedSize), size);
  };
}

/**
 * Makes the index of a closed event file anew from the file itself and puts it in place.
 * @throws DamagedFileError when the event file is damaged or was never closed.
 */
export async function rebuildIndex(path: string, indexPath: string): Promise<EventFileInfo> {
  const fd = openSync(path, "r");
  try {
    const identity = identify(fd);
    if (!identity) throw new DamagedFileError("The event file has no seek table.");
    const builder = await indexClosedFile(fd, identity.framesEnd);
    await writeIndexFile({ builder, indexPath, identity, readFrame: frameReader(fd, builder) });
    return { ...builder.info(), storedSize: identity.size };
  } finally {
    closeSync(fd);
  }
}
