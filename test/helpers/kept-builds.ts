import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { newestSource } from "./sources.ts";

/** What was built of older sources goes when no run can be under way that began with it. */
const LONGEST_RUN_MS = 2 * 3_600_000;

/** What is bundled once for all files of a run, kept beside the executable that tests start while no source changes. */
export interface KeptBuild {
  /** Environment variable by which a run tells its files the folder. */
  variable: string;
  /** The folder, where it was built since the last change of a source, else null. */
  fresh(): string | null;
  /** The folder, built if need be. */
  built(): Promise<string>;
}

function keptBuild(name: string, newest: () => number, build: (folder: string) => Promise<void>): KeptBuild {
  const home = join(import.meta.dir, "..", "..", "dist", name);
  const folderOf = () => join(home, String(Math.ceil(newest())));
  const fresh = () => {
    const folder = folderOf();
    return existsSync(folder) ? folder : null;
  };
  return {
    variable: name.toUpperCase().replaceAll("-", "_"),
    fresh,
    async built() {
      const folder = folderOf();
      if (existsSync(folder)) return folder;
      mkdirSync(home, { recursive: true });
      // Runs that begin at the same time each build a whole one.
      const started = Date.now();
      const work = mkdtempSync(join(home, "making-"));
      await build(work);
      for (const other of readdirSync(home))
        if (statSync(join(home, other)).mtimeMs < started - LONGEST_RUN_MS)
          rmSync(join(home, other), { recursive: true, force: true });
      if (existsSync(folder)) rmSync(work, { recursive: true });
      else renameSync(work, folder);
      return folder;
    },
  };
}

/** What the program bundles for pages and for people's projects: from the sources, each app of each test would do it. */
export const PARTS = keptBuild(
  "test-parts",
  () => newestSource(),
  async (folder) => (await import("../../.ci/build.ts")).buildParts(folder),
);

/** The processes that tests start from the sources (`childCommand`). */
export const CHILDREN = keptBuild(
  "test-children",
  () => newestSource("test"),
  async (folder) => (await import("./children-build.ts")).buildChildren(folder),
);
