import { parseHeader, SKIPPABLE_MAGIC, ZSTD_MAGIC } from "./frames.ts";

/**
 * Follows the frames of a zstd stream as its bytes pass by, without unpacking them (RFC 8878, section 3). The
 * decompressor takes a stream that ends inside a frame, or goes on with something else, for a whole one; this tells.
 */
export interface FrameWalker {
  /** @returns how many of the bytes belong to frames: fewer than all when something that is no frame begins. */
  take(bytes: Uint8Array): number;
  /** Whether the bytes so far end where a frame ends. */
  readonly isAtFrameEnd: boolean;
}

type Step = "magic" | "skippable" | "header" | "block";

const LONGEST_HEADER = 18;

export function createFrameWalker(): FrameWalker {
  const held = Buffer.alloc(LONGEST_HEADER);
  let heldLength = 0;
  let needed = 4;
  let step: Step = "magic";
  let toSkip = 0;
  let hasChecksum = false;
  let isLost = false;

  function expect(next: Step, bytes: number) {
    step = next;
    needed = bytes;
    if (next !== "header") heldLength = 0;
  }

  /** Reads what has been gathered; false when it is no frame. */
  function advance(): boolean {
    if (step === "magic") return readMagic();
    if (step === "skippable") {
      toSkip = held.readUInt32LE(0);
      expect("magic", 4);
    } else if (step === "header") readHeader();
    else readBlock();
    return true;
  }

  function readMagic(): boolean {
    const magic = held.readUInt32LE(0);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) expect("skippable", 4);
    else if (magic === ZSTD_MAGIC) expect("header", 5);
    else return false;
    return true;
  }

  function readHeader() {
    const header = parseHeader(held.subarray(0, heldLength), 0);
    if (!header) {
      needed++;
      return;
    }
    hasChecksum = header.hasChecksum;
    expect("block", 3);
  }

  function readBlock() {
    const block = held.readUIntLE(0, 3);
    const isRun = ((block >> 1) & 3) === 1;
    const isLast = (block & 1) === 1;
    toSkip = (isRun ? 1 : block >> 3) + (isLast && hasChecksum ? 4 : 0);
    expect(isLast ? "magic" : "block", isLast ? 4 : 3);
  }

  return {
    get isAtFrameEnd() {
      return !isLost && step === "magic" && heldLength === 0 && toSkip === 0;
    },
    take(bytes) {
      let at = 0;
      while (at < bytes.length && !isLost) {
        if (toSkip > 0) {
          const skipped = Math.min(toSkip, bytes.length - at);
          toSkip -= skipped;
          at += skipped;
          continue;
        }
        held[heldLength++] = bytes[at++]!;
        if (heldLength < needed || advance()) continue;
        isLost = true;
        return Math.max(0, at - 4);
      }
      return isLost ? 0 : at;
    },
  };
}
