import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { layout } from "../layout.ts";

/**
 * Work in progress: files and folders that the program makes for itself, on the disk of the files that they may become.
 * Nothing here is ever the only copy of something acknowledged, and whatever a process leaves is swept by the next one.
 */
export interface Work {
  /** Absolute path of a file or folder by its name, which the caller makes. */
  path(name: string): string;
  /** The names that begin so. */
  named(prefix: string): Promise<string[]>;
  /** Removes what has a name that begins so. @returns what cannot be removed; it keeps nothing else from going */
  sweep(prefix: string): Promise<LeftWork[]>;
}

export interface LeftWork {
  name: string;
  error: unknown;
}

export function createWork(dataDir: string): Work {
  const { tmp } = layout(dataDir);
  const path = (name: string) => join(tmp, name);
  const named = async (prefix: string) => (await readdir(tmp)).filter((name) => name.startsWith(prefix));
  return {
    path,
    named,
    async sweep(prefix) {
      const left: LeftWork[] = [];
      for (const name of await named(prefix))
        try {
          await rm(path(name), { recursive: true, force: true });
        } catch (error) {
          left.push({ name, error });
        }
      return left;
    },
  };
}
