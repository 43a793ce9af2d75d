/** A repository that cannot be asked, or a commit that it does not have; the message is for people. */
export class GitError extends Error {
  override name = "GitError";
  readonly kind: "no_repository" | "no_commit" | "no_git";
  constructor(kind: GitError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

const LONGEST_MS = 30_000;

/**
 * The paths that a commit changed, relative to the repository's root with slashes: against its first parent, and all of them
 * for a commit that has none. A renamed file is named by both of its paths.
 * @param folder of the repository; `sha` must be lower-case hex, 4 to 64 digits
 * @throws GitError
 */
export async function changedPaths(folder: string, sha: string): Promise<string[]> {
  const commit = (
    await git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${sha}^{commit}`])
  ).text;
  if (commit === null) {
    const { text: repository, problem } = await git(folder, ["rev-parse", "--git-dir"]);
    if (repository === null)
      throw new GitError("no_repository", `${folder} cannot be read as a git repository: ${problem}`);
    throw new GitError("no_commit", `The repository has no commit ${sha}, or several that begin like it.`);
  }
  const { text, problem } = await git(folder, [
    "diff-tree",
    "-r",
    "-z",
    "--root",
    "--no-commit-id",
    "--name-only",
    "--no-renames",
    "--diff-merges=first-parent",
    commit.trim(),
  ]);
  if (text === null) throw new GitError("no_repository", `git cannot read the commit: ${problem}`);
  return text.split("\0").filter(Boolean);
}

/** Runs git with nothing of its configuration that could start other programs; null text when it fails. */
async function git(folder: string, args: string[]): Promise<{ text: string | null; problem: string }> {
  let child: ReturnType<typeof start>;
  try {
    child = start(folder, args);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new GitError("no_git", `git is not installed here, or there is no folder ${folder}.`);
    if (error instanceof Error && "code" in error && (error.code === "ENOTDIR" || error.code === "EACCES"))
      throw new GitError("no_repository", `${folder} is no folder that can be read as a git repository.`);
    throw error;
  }
  const [text, problem, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { text: code === 0 ? text : null, problem: problem.trim() };
}

const start = (folder: string, args: string[]) =>
  Bun.spawn(["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST_MS,
    // Prompts nobody could answer.
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
  });
