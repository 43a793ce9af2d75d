import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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
  try {
    writeDraft(draft, content, options.mode);
    if (options.keepExisting) linkUnlessThere(draft, path);
    else renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

function writeDraft(path: string, content: string, mode: number): void {
  const file = openSync(path, "wx", mode);
  try {
    // `writeSync` takes a part where the disk has no room for all of it.
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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
