import { open } from "node:fs/promises";

/** Writes a file's bytes to the disk itself, not only to the system's memory. */
export async function fsyncFile(path: string): Promise<void> {
  await fsync(path, "r+");
}

/** Makes renames and removals in a folder survive a power cut. Windows has no such call and does it by itself. */
export async function fsyncFolder(path: string): Promise<void> {
  if (process.platform !== "win32") await fsync(path, "r");
}

async function fsync(path: string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
