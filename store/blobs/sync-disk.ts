import { readFileSync } from "node:fs";
import { release } from "node:os";

/** So many files or folders are worth it. */
export const WORTH_IT = 32;
/** What nobody has brought to the disk yet, of all programs: to wait for more of it takes longer than many single files do. */
const MOST_DIRTY = 512 * 1024 * 1024;
/** Before Linux 5.8 syncfs(2) told nothing of bytes that could not be written. */
const FIRST_KERNEL = [5, 8] as const;

/**
 * Brings all of a folder's file system to the disk, by the `sync` of coreutils or BusyBox (syncfs(2)): hundreds of files in one commit of
 * its journal, where each fsync(2) takes one of its own.
 * @returns whether it did; where it cannot, or would wait for what others write, each file is left to be brought there by itself
 */
export async function syncDisk(folder: string): Promise<boolean> {
  const program = tellsErrors() && dirtyBytes() <= MOST_DIRTY ? Bun.which("sync") : null;
  if (program === null) return false;
  try {
    const { exited } = Bun.spawn([program, "-f", folder], { stdio: ["ignore", "ignore", "ignore"] });
    return (await exited) === 0;
  } catch {
    // No process can be started just now: each file goes without one, and tells what is wrong with the disk.
    return false;
  }
}

const tellsErrors = (): boolean => process.platform === "linux" && isAtLeast(release(), FIRST_KERNEL);

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [its = 0, more = 0] = version.split(".").map(Number);
  return its > major || (its === major && more >= minor);
}

/** Bytes that wait in memory for any disk. */
function dirtyBytes(): number {
  const [, kilobytes] = /^Dirty:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  return Number(kilobytes ?? Number.POSITIVE_INFINITY) * 1024;
}
