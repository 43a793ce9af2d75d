import type { ArtifactRow } from "../records/artifacts.ts";
import { type BlobLocation, LOOSE } from "../records/blobs.ts";
import type { ByteLocation } from "./files.ts";
import { blobKey } from "./keys.ts";

/** Where the bytes of an artifact lie: a file of its own or a member of the trace's pack. */
export function artifactLocation(
  artifact: Pick<ArtifactRow, "path" | "size" | "pack_offset" | "pack_stored_size" | "pack_method">,
): ByteLocation {
  const { size } = artifact;
  const isPacked = artifact.pack_offset !== null;
  return {
    key: artifact.path,
    offset: artifact.pack_offset ?? 0,
    storedSize: isPacked ? artifact.pack_stored_size! : size,
    size,
    method: artifact.pack_method === 8 ? 8 : 0,
  };
}

/** Where the bytes of a blob lie. */
export function blobLocation(hash: string, place: Omit<BlobLocation, "hash">): ByteLocation {
  const { container, suffix = "", offset, storedSize, size, method } = place;
  return { key: container === LOOSE ? blobKey(hash, suffix) : container, offset, storedSize, size, method };
}
