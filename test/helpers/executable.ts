import { existsSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../.ci/build.ts";
import { PARTS } from "./kept-builds.ts";
import { BUILT } from "./program.ts";
import { newestSource } from "./sources.ts";

const root = join(import.meta.dir, "..", "..");
const outfile = join(root, "dist", process.platform === "win32" ? "tracedeck-test.exe" : "tracedeck-test");

/**
 * Path of the program compiled from the sources as they are. A whole run builds it before its tests; otherwise the first file
 * that needs it does, those that come at the same time build it too, and each puts a whole file in place.
 */
export async function executable(): Promise<string> {
  const path = process.env[BUILT] ?? freshExecutable();
  if (path !== null) return path;
  mkdirSync(join(root, "dist"), { recursive: true });
  const started = new Date();
  await buildExecutable({ outfile, parts: PARTS.fresh() ?? undefined });
  // As old as what it was built from: a source that changed during the build is newer.
  utimesSync(outfile, started, started);
  return outfile;
}

/** Its path where it has been built since the last change of a source, else null. */
export const freshExecutable = (): string | null =>
  existsSync(outfile) && statSync(outfile).mtimeMs >= newestSource() ? outfile : null;
