import type { EventFileInfo } from "../../../store/events/types.ts";
import { AppError } from "../../http/errors.ts";
import { unpackedCap } from "../ingest/unpacked-cap.ts";
import type { Chunk } from "./chunk.ts";

/**
 * A capture may have what an upload may: its event file as much as the plan's upload cap, and the text of its events and its
 * payloads together what an upload may unpack to.
 * @param capBytes the plan's upload cap
 * @param had bytes of the trace so far: its event file, and the payloads that it names
 * @throws AppError `bundle_too_large` for a chunk that it has no room for
 */
export function requireRoomForChunk(
  capBytes: number,
  { size, storedSize }: Pick<EventFileInfo, "size" | "storedSize">,
  had: number,
  chunk: Pick<Chunk, "lines" | "texts"> & { packed: number },
): void {
  if (storedSize + chunk.packed > capBytes)
    throw full(`more than ${capBytes} bytes of events, the plan's upload cap`);
  const lines = chunk.lines.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0);
  const texts = chunk.texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const payloads = Math.max(0, had - storedSize);
  if (size + lines + payloads + texts > unpackedCap(capBytes)) throw fullUnpacked(capBytes);
}

/** @param has bytes of the trace with new payloads. @throws AppError `bundle_too_large` */
export function requireRoomForBlobs(capBytes: number, has: number): void {
  if (has > unpackedCap(capBytes)) throw fullUnpacked(capBytes);
}

const fullUnpacked = (capBytes: number) =>
  full(`more than ${unpackedCap(capBytes)} bytes of events and payloads, 20 times the plan's upload cap`);

const full = (what: string) =>
  new AppError(
    "bundle_too_large",
    `The trace would have ${what}. Nothing of this request is kept, and all that was taken before is: end the capture.`,
  );
