import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Ids } from "../../platform/ids.ts";

/** This process's folder below `<data>/tmp`. */
export interface WorkFolder {
  /** Its path. The first call makes it and clears away what earlier processes left. */
  root(): string;
  /** Does something with an empty folder that is gone afterwards. */
  within<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
}

const PREFIX = "tiers-";

export function createWorkFolder(tmp: string, ids: Pick<Ids, "uuid">): WorkFolder {
  let made: string | null = null;

  function root(): string {
    if (made !== null) return made;
    for (const name of readdirSync(tmp))
      if (name.startsWith(PREFIX)) rmSync(join(tmp, name), { recursive: true, force: true });
    const path = join(tmp, `${PREFIX}${ids.uuid()}`);
    mkdirSync(path, { mode: 0o700 });
    made = path;
    return path;
  }

  return {
    root,
    async within(work) {
      const folder = join(root(), ids.uuid());
      mkdirSync(folder, { mode: 0o700 });
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
