import { GitError, git } from "./git.ts";

/** @throws GitError for a commit that is not there, or a folder that is no repository */
export async function requireCommit(folder: string, sha: string): Promise<string> {
  const commit = (
    await git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${sha}^{commit}`])
  ).text;
  if (commit !== null) return commit.trim();
  const { text: repository, problem } = await git(folder, ["rev-parse", "--git-dir"]);
  if (repository === null)
    throw new GitError("no_repository", `${folder} cannot be read as a git repository: ${problem}`);
  throw new GitError("no_commit", `The repository has no commit ${sha}, or several that begin like it.`);
}

/** When a commit was made into what it is (its committer's date), as ISO 8601. @throws GitError */
export async function commitTime(folder: string, sha: string): Promise<string> {
  const commit = await requireCommit(folder, sha);
  const { text, problem } = await git(folder, [
    "show",
    "--no-patch",
    // The configuration may have signatures checked, by a program that it names and that says so in the answer.
    "--no-show-signature",
    "--format=%cI",
    commit,
  ]);
  if (text === null) throw new GitError("no_commit", `The commit ${sha} cannot be read: ${problem}`);
  return text.trim();
}

/** The commit at which two parted. @throws GitError, also when they have none in common */
export async function mergeBase(folder: string, one: string, other: string): Promise<string> {
  for (const sha of [one, other]) await requireCommit(folder, sha);
  const { text, problem } = await git(folder, ["merge-base", one, other]);
  if (text === null)
    throw new GitError(
      "no_commit",
      `The commits ${one} and ${other} have no commit in common here. ${problem}`.trim(),
    );
  return text.trim();
}

/** The commit that is checked out. @throws GitError */
export async function headCommit(folder: string): Promise<string> {
  const { text, problem } = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (text !== null) return text.trim();
  const { text: repository, problem: why } = await git(folder, ["rev-parse", "--git-dir"]);
  if (repository === null)
    throw new GitError("no_repository", `${folder} cannot be read as a git repository: ${why}`);
  throw new GitError("no_commit", `The repository at ${folder} has no commit yet. ${problem}`.trim());
}

/** The commit that a branch stands at; null when there is no such branch. @throws GitError */
export async function branchCommit(folder: string, branch: string): Promise<string | null> {
  const { text } = await git(folder, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]);
  return text === null ? null : text.trim();
}
