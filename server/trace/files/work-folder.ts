import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Work } from "../../../store/files/work.ts";
import type { Ids } from "../../platform/ids.ts";

/** This process's folder among the work in progress. */
export interface WorkFolder {
  /** Does something with an empty folder that is gone afterwards. The first call clears away what earlier processes left. */
  within<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
}

export const TIERS_PREFIX = "tiers-";

export function createWorkFolder(work: Work, ids: Pick<Ids, "uuid">): WorkFolder {
  let root: Promise<string> | null = null;

  async function makeRoot(): Promise<string> {
    await work.sweep(TIERS_PREFIX);
    const path = work.path(`${TIERS_PREFIX}${ids.uuid()}`);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  return {
    async within(use) {
      root ??= makeRoot();
      root.catch(() => {
        root = null;
      });
      const folder = join(await root, ids.uuid());
      await mkdir(folder, { mode: 0o700 });
      try {
        return await use(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
