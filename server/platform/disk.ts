import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The file system that a folder lies on, in bytes. */
export interface DiskSpace {
  /** What this account may still write. */
  free: number;
  size: number;
  /** Equal for folders of one file system. */
  device: number;
}

/** Looks at the disk of a folder, or of the nearest folder above that exists. */
export type LookAtDisk = (folder: string) => DiskSpace;

export const lookAtDisk: LookAtDisk = (folder) => {
  let path = folder;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  const { bavail, bsize, blocks } = statfsSync(path);
  return { free: bavail * bsize, size: blocks * bsize, device: statSync(path).dev };
};
