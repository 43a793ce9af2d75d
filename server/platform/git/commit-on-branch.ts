import { branchCommit } from "./commits.ts";
import { GitError, git } from "./git.ts";

export interface NewCommit {
  parent: string;
  /** Files that take the place of those of the parent, whole. */
  files: { path: string; mode: string; text: string }[];
  message: string;
  author: { name: string; email: string };
  /** Epoch ms: the same commit made again has the same hash. */
  at: number;
}

/**
 * Makes a branch with one commit on top of another. It works on objects and references alone: the work tree, the index and what
 * is checked out stay as they are, and no hook, filter or signing program is run.
 * @param indexFile where git may keep an index of its own meanwhile; the caller removes it
 * @returns the commit; when the branch is there already, the commit that it stands at
 * @throws GitError
 */
export async function commitOnBranch(
  folder: string,
  branch: string,
  { parent, files, message, author, at }: NewCommit,
  indexFile: string,
): Promise<string> {
  const known = await branchCommit(folder, branch);
  if (known !== null) return known;
  const date = `${Math.floor(at / 1000)} +0000`;
  const env = {
    GIT_INDEX_FILE: indexFile,
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_COMMITTER_DATE: date,
  };
  const must = async (args: string[], input?: string): Promise<string> => {
    const { text, problem } = await git(folder, args, { env, ...(input !== undefined && { input }) });
    if (text === null) throw new GitError("no_repository", `git cannot write the commit: ${problem}`);
    return text.trim();
  };
  await must(["read-tree", parent]);
  for (const { path, mode, text } of files) {
    const blob = await must(["hash-object", "-w", "--no-filters", "--stdin"], text);
    await must(["update-index", "--add", "--cacheinfo", `${mode},${blob},${path}`]);
  }
  const tree = await must(["write-tree"]);
  const commit = await must(["commit-tree", tree, "-p", parent, "-F", "-"], message);
  // All zeros: only where nobody else has made the branch meanwhile.
  const made = await git(folder, ["update-ref", `refs/heads/${branch}`, commit, "0".repeat(commit.length)], {
    env,
  });
  if (made.text !== null) return commit;
  const meanwhile = await branchCommit(folder, branch);
  if (meanwhile !== null) return meanwhile;
  throw new GitError("no_repository", `git cannot make the branch ${branch}: ${made.problem}`);
}
