import { requireCommit } from "./commits.ts";
import { GitError, git } from "./git.ts";

/**
 * The paths that a commit changed, relative to the repository's root with slashes: against its first parent, and all of them
 * for a commit that has none. A renamed file is named by both of its paths.
 * @param folder of the repository; `sha` must be lower-case hex, 4 to 64 digits
 * @throws GitError
 */
export async function changedPaths(folder: string, sha: string): Promise<string[]> {
  const commit = await requireCommit(folder, sha);
  const { text, problem } = await git(folder, [
    "diff-tree",
    "-r",
    "-z",
    "--root",
    "--no-commit-id",
    "--name-only",
    "--no-renames",
    "--diff-merges=first-parent",
    commit,
  ]);
  if (text === null) throw new GitError("no_repository", `git cannot read the commit: ${problem}`);
  return text.split("\0").filter(Boolean);
}

/**
 * The paths that differ between the merge base of two commits and the second of them; a renamed file is named by both of its paths.
 * @param folder of the repository; the commits must be lower-case hex, 4 to 64 digits
 * @throws GitError
 */
export async function pathsBetween(folder: string, base: string, head: string): Promise<string[]> {
  for (const sha of [base, head]) await requireCommit(folder, sha);
  const { text, problem } = await git(folder, [
    "diff",
    "-z",
    "--name-only",
    "--no-renames",
    "--no-relative",
    "--no-ext-diff",
    `${base}...${head}`,
  ]);
  if (text === null) throw new GitError("no_repository", `git cannot compare the commits: ${problem}`);
  return text.split("\0").filter(Boolean);
}
