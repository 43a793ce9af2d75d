import { realpath, stat } from "node:fs/promises";
import { isAbsolute, type posix, relative, resolve, type win32 } from "node:path";

/** A name that a file gave for another one, and that leads to no file of its folder. The message is for people. */
export class FileWithinError extends Error {
  override name = "FileWithinError";
}

/**
 * The real path of a regular file within a folder, links followed: whoever reads it later reads what was judged.
 * @param name relative to the folder
 * @throws FileWithinError for what lies outside, is not there, or is a folder, device or the like
 */
export async function fileWithin(folder: string, name: string): Promise<string> {
  const outside = new FileWithinError(`The file ${name} lies outside of the scenario's folder.`);
  const path = resolve(folder, name);
  // Before anything is looked at: not even whether something is there is told of what lies elsewhere.
  if (!isWithin(folder, path)) throw outside;
  const [home, real] = await Promise.all([realpath(folder), realpath(path)]).catch(() => {
    throw new FileWithinError(`There is no file ${name} beside the scenario.`);
  });
  if (!isWithin(home, real)) throw outside;
  const found = await stat(real).catch(() => null);
  if (!found?.isFile()) throw new FileWithinError(`${name} is no plain file.`);
  return real;
}

/**
 * Whether a path lies below a folder. Both are absolute; links are not looked at.
 * @param paths of the system whose paths they are
 */
export function isWithin(
  folder: string,
  path: string,
  paths: Pick<typeof posix | typeof win32, "relative" | "isAbsolute"> = { relative, isAbsolute },
): boolean {
  const way = paths.relative(folder, path);
  // From one drive of Windows to another there is no way but the whole path.
  return way !== "" && !/^\.\.([\\/]|$)/.test(way) && !paths.isAbsolute(way);
}
