import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a small file so that readers, and a power cut, see the old content or the new, never a part.
 * With `keepExisting` a file that is already there wins.
 */
export function writeFileAtomic(
  path: string,
  content: string,
  options: { mode: number; keepExisting?: boolean },
): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = openSync(draft, "wx", options.mode);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (options.keepExisting) linkUnlessThere(draft, path);
  else renameSync(draft, path);
  syncFolder(dirname(path));
}

function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    // Some file systems (exFAT, network shares) have no hard links; there a rename must do.
    if (existsSync(path)) return;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Makes renames and new names in a folder survive a power cut. Windows has no such call and needs none. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
