import { statSync } from "node:fs";
import { resolve } from "node:path";
import { CliError } from "./output.ts";

/**
 * The absolute path of a file that a command writes. It is written beside and then renamed, which would take away
 * whatever else has that name: a device, a pipe.
 * @throws CliError unless it is free or a plain file
 */
export function fileToWrite(name: string): string {
  const path = resolve(name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile())
    throw new CliError(`${path} is ${found.isDirectory() ? "a folder" : "a device or pipe"}, not a file.`);
  return path;
}
