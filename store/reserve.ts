import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isDiskFull } from "./storage-faults.ts";

const SIZE = 1024 * 1024;

/** Room that is kept for the records, so that on a full disk a removal or a verdict can still be written down. */
export interface Reserve {
  /** Takes the room, where it is not taken and the disk has some to spare. */
  keep(): void;
  /** Gives the room back. @returns false when there was none */
  release(): boolean;
}

export function createReserve(path: string): Reserve {
  return {
    keep() {
      if (existsSync(path)) return;
      const { bavail, bsize } = statfsSync(dirname(path));
      if (bavail * bsize < 4 * SIZE) return;
      const file = openSync(path, "wx", 0o600);
      try {
        writeSync(file, Buffer.alloc(SIZE));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
    release() {
      if (!existsSync(path)) return false;
      rmSync(path, { force: true });
      return true;
    },
  };
}

/**
 * Does what must be written down even on a full disk: there the room is given up, and it is done again.
 * @param onRelease is told before the second try
 */
export async function withReserve<Result>(
  reserve: Reserve,
  work: () => Promise<Result>,
  onRelease: () => void,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error) || !reserve.release()) throw error;
    onRelease();
    return work();
  }
}
