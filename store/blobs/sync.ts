import { open } from "node:fs/promises";

const AT_ONCE = 16;

/** A few at a time: fsyncs of one disk gain from company, but thousands of open files help nobody. */
export async function inTurns<T>(items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await each(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}

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
