import { realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { isWithin } from "../../platform/file-within.ts";
import type { Refusal } from "./scenario.ts";

/** What no patch changes, whatever the settings say: what runs by itself in other people's hands. */
const NEVER = [
  ".git/**",
  "**/.git/**",
  ".github/**",
  ".gitlab-ci.yml",
  "**/.gitattributes",
  "**/.gitmodules",
];

/**
 * Why a patch may not change a file; null when it may. Links are followed where the repository lies on this machine: the file
 * that a name leads to is judged as well.
 * @param path in the repository, with slashes
 * @param forbidden globs of `mender.forbidden_paths`
 * @param repository its folder; null when it is not on this machine
 */
export async function judgePath(
  path: string,
  forbidden: readonly string[],
  repository: string | null,
): Promise<Refusal | null> {
  const refuse = (why: string): Refusal => ({ rule: "path", message: `The patch changes ${path}, ${why}.` });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const isPlain = !/[\\\x00-\x1f]/.test(path) && !path.startsWith("/") && !/^[A-Za-z]:/.test(path);
  if (!isPlain || path.split("/").some((part) => part === ".." || part === "." || part === ""))
    return refuse("which is no path within the repository");
  const isForbidden = picomatch([...NEVER, ...forbidden], { dot: true, nocase: true });
  const matches = (one: string) => isForbidden(one) || forbidden.some((glob) => isBelow(one, glob));
  if (matches(path)) return refuse("which the settings forbid (mender.forbidden_paths)");
  if (repository === null) return null;
  const root = await realpath(repository).catch(() => null);
  const real = await realpath(join(repository, path)).catch(() => null);
  // What is not checked out leads nowhere; the commit that is changed decides.
  if (root === null || real === null) return null;
  if (!isWithin(root, real)) return refuse("which leads out of the repository");
  const way = relative(root, real).split(sep).join("/");
  return way !== path && matches(way)
    ? refuse(`which leads to ${way}, and the settings forbid that (mender.forbidden_paths)`)
    : null;
}

/** A glob without a star may name a folder: all below it is meant. */
const isBelow = (path: string, glob: string): boolean =>
  !/[*?{[]/.test(glob) && path.toLowerCase().startsWith(`${glob.replace(/(?<!\/)\/+$/, "").toLowerCase()}/`);
