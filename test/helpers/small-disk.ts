import { appendFileSync, mkdirSync, rmSync } from "node:fs";

/** A disk that is small enough to fill, in memory. Only root may mount one. */
export interface SmallDisk {
  path: string;
  isMounted: boolean;
  /** Bytes that are left. */
  free(): number;
  /** Takes everything that is left, but for so many bytes. */
  fill(left?: number): void;
  /** Gives that back. */
  empty(): void;
  unmount(): void;
}

/** @param path of the folder that it is mounted on, which is made */
export function smallDisk(path: string, size: number): SmallDisk {
  mkdirSync(path);
  const isRoot = process.getuid?.() === 0 && Bun.which("mount") !== null;
  const command = ["mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path];
  const isMounted = isRoot && Bun.spawnSync(command).success;
  const filler = `${path}/filler`;
  function free(): number {
    const { stdout } = Bun.spawnSync(["df", "--output=avail", "-B1", path]);
    return Number(stdout.toString().trim().split("\n").at(-1));
  }
  return {
    path,
    isMounted,
    free,
    fill(left = 0) {
      try {
        // What was taken before stays taken.
        appendFileSync(filler, new Uint8Array(Math.max(0, free() - left)));
      } catch (error) {
        // Others write too: when they took some of the room meanwhile, the disk is as full as was wanted.
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      }
    },
    empty: () => rmSync(filler),
    // Lazily: this process may still have a file open there.
    unmount: () => void Bun.spawnSync(["umount", "-l", path]),
  };
}
