import { basename, join } from "node:path";

/**
 * Absolute path of a folder that travels with the program, given relative to the top of the source: there in a source
 * run, or inside the executable, where `.ci/build.ts` embeds such folders by their last name.
 */
export function packagedFolder(relative: string): string {
  if (Bun.isStandaloneExecutable) return join(import.meta.dir, basename(relative));
  return join(import.meta.dir, "..", "..", relative);
}

let builtBefore: string | null = null;

/** Takes what the build makes for the executable from a folder, as tests do, instead of making it from the sources. */
export function takePackagedFrom(folder: string): void {
  builtBefore = folder;
}

/** Absolute path of a folder that the build makes, by its name; null where its content is still to be made from the sources. */
export function builtFolder(name: string): string | null {
  if (Bun.isStandaloneExecutable) return packagedFolder(name);
  return builtBefore && join(builtBefore, name);
}
