import type { ByteLocation } from "../../../store/files/files.ts";
import { blobLocation } from "../../../store/files/locations.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import type { Deps } from "../../deps.ts";
import { isLost } from "./where-it-lies.ts";

/**
 * The bytes of a recorded body; null when they are damaged or gone, which the log tells: what is made of many bodies
 * goes on without the one.
 * @param locate asks the records; asked once more when the bytes do not lie there, since they may have moved. Null where there are none
 */
export async function readBody(
  deps: Pick<Deps, "store" | "log">,
  locate: () => Promise<ByteLocation | null>,
): Promise<Uint8Array | null> {
  for (let isAgain = false; ; isAgain = true) {
    const location = await locate();
    if (!location) return null;
    try {
      return await deps.store.files.read(location);
    } catch (error) {
      if (!isLost(error)) throw error;
      if (!isAgain) continue;
      deps.log.error("a recorded body cannot be read", { error });
      return null;
    }
  }
}

/**
 * As `readBody`, of a blob that a trace names.
 * @param most bytes; what is larger is not read, and is null. Whoever made the recording chose its size
 */
export const readBlob = (
  deps: Pick<Deps, "store" | "log">,
  traceId: string,
  hash: string,
  most: number,
): Promise<Uint8Array | null> =>
  readBody(deps, async () => {
    const place = await findTraceBlob(deps.store.records, traceId, hash);
    return place && place.size <= most ? blobLocation(hash, place) : null;
  });
