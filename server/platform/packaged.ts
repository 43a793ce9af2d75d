import { basename, join } from "node:path";

/**
 * Absolute path of a folder that travels with the program, given relative to the top of the source: there in a source
 * run, or inside the executable, where `.ci/build.ts` embeds such folders by their last name.
 */
export function packagedFolder(relative: string): string {
  if (Bun.isStandaloneExecutable) return join(import.meta.dir, basename(relative));
  return join(import.meta.dir, "..", "..", relative);
}
