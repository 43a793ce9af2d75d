import { BlobDamagedError, type ByteLocation } from "../../../store/blobs/blobs.ts";
import type { Deps } from "../../deps.ts";

/**
 * The bytes of a recorded body; null when they are damaged or gone, which the log tells: what is made of many bodies
 * goes on without the one.
 */
export async function readBody(
  deps: Pick<Deps, "store" | "log">,
  location: ByteLocation,
): Promise<Uint8Array | null> {
  try {
    return await deps.store.blobs.read(location);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing && !(error instanceof BlobDamagedError)) throw error;
    deps.log.error("a recorded body cannot be read", { error });
    return null;
  }
}
