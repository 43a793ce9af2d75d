import { join, relative } from "node:path";
import { CHILDREN } from "./kept-builds.ts";

const root = join(import.meta.dir, "..", "..");

/**
 * The command line of a process of the tests' own, given by its source: bundled, where a run has done that, since a thousand modules
 * one by one take twice as much of the processor.
 */
export function childCommand(source: string): string[] {
  const built = process.env[CHILDREN.variable];
  const path = built ? join(built, relative(root, source).replace(/\.ts$/, ".js")) : source;
  return [process.execPath, path];
}
