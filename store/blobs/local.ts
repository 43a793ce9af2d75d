import { rmSync } from "node:fs";
import { mkdir, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Layout } from "../layout.ts";
import type { BlobFiles } from "./blobs.ts";
import { forEachLimited, fsyncFolder } from "./sync.ts";

/** Blobs as files `<data>/blobs/sha256/ab/cd/<hex>`. */
export function createLocalBlobFiles(layout: Layout): BlobFiles {
  const held = new Map<string, number>();

  /** @returns the folders to fsync: also of a blob that was there, for another upload may just have put it there. */
  async function moveIn(staged: { path: string; hash: string }): Promise<string[]> {
    const target = layout.blob(staged.hash);
    const folder = dirname(target);
    const [there, mine] = await Promise.all([sizeOf(target), sizeOf(staged.path)]);
    if (there !== null && there === mine) await unlink(staged.path);
    else {
      // A file of another size is a damaged one: good bytes take its place.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(staged.path, target);
    }
    return [folder, dirname(folder), layout.blobs];
  }

  async function adoptAll(staged: readonly { path: string; hash: string }[]) {
    const changed = new Set<string>();
    await forEachLimited(staged, async (one) => {
      for (const folder of await moveIn(one)) changed.add(folder);
    });
    await forEachLimited([...changed], fsyncFolder);
  }

  return {
    loosePath: layout.blob,
    adopt: (path, hash) => adoptAll([{ path, hash }]),
    adoptAll,
    exists: async (hash) => (await sizeOf(layout.blob(hash))) !== null,
    hold(hashes) {
      const mine = [...new Set(hashes)];
      for (const hash of mine) held.set(hash, (held.get(hash) ?? 0) + 1);
      return () => {
        for (const hash of mine.splice(0)) {
          const left = held.get(hash)! - 1;
          if (left === 0) held.delete(hash);
          else held.set(hash, left);
        }
      };
    },
    async remove(hash) {
      if (held.has(hash)) return false;
      // Synchronous, so that no hold can begin between the look and the removal.
      rmSync(layout.blob(hash), { force: true });
      return true;
    },
  };
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
