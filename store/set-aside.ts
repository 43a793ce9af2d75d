import { mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fsyncFolder } from "./blobs/sync.ts";
import { type Layout, layout } from "./layout.ts";

/**
 * Moves files of the data folder to `<data>/strays/<time>/`, under the paths that they had; folders that become empty go.
 * @param now epoch ms
 * @returns the folder that has them
 */
export async function setAside(dataDir: string, files: readonly string[], now: number): Promise<string> {
  const paths = layout(dataDir);
  const folder = join(paths.strays, new Date(now).toISOString().replaceAll(":", "-"));
  for (const file of files) {
    const target = join(folder, relative(paths.root, file));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(file, target);
    await fsyncFolder(dirname(target));
    await dropIfEmpty(paths, dirname(file));
  }
  return folder;
}

/** The store's own folders stay. */
async function dropIfEmpty(paths: Layout, folder: string): Promise<void> {
  if ([paths.root, paths.traces, paths.blobs].includes(folder)) return;
  if ((await readdir(folder)).length === 0) await rmdir(folder);
}
