import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "tracedeck-tests-";
/** Where less is left, one test of large files beside another could fill it. */
const ROOM_BYTES = 6 * 2 ** 30;

/**
 * A new folder in memory for the temporary files of a run, where the system has one with room: a record that is to outlive a power
 * cut is waited for, and on a disk that others use as well, tests would wait for it half of their time. Null where there is none, the memory is
 * scarce, or programs may not be started from there. `removeMemoryFolder` gives the memory back.
 */
export function memoryFolder(place = MEMORY, room = ROOM_BYTES): string | null {
  if (process.platform !== "linux" || !existsSync(place)) return null;
  removeLost(place);
  const { bavail, bsize } = statfsSync(place);
  if (Math.min(bavail * bsize, availableMemory()) < room) return null;
  const folder = mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
  if (mayStartPrograms(folder)) return folder;
  removeMemoryFolder(folder);
  return null;
}

export const removeMemoryFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** What a run left that was killed: nobody else gives that memory back. */
function removeLost(place: string): void {
  for (const name of readdirSync(place)) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (owner && !existsSync(join("/proc", owner))) removeMemoryFolder(join(place, name));
  }
}

/** Bytes that may be taken before the system, or the container that this runs in, has none left. */
function availableMemory(): number {
  const [, free] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  const limit = process.constrainedMemory();
  return Math.min(Number(free ?? 0) * 1024, limit > 0 ? limit : Number.POSITIVE_INFINITY);
}

/** Containers often mount it without that, and tests put programs into their folders. */
function mayStartPrograms(folder: string): boolean {
  const path = join(folder, "program");
  writeFileSync(path, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const { status } = spawnSync(path);
  rmSync(path);
  return status === 0;
}
