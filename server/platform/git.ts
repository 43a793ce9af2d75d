/** A repository that cannot be asked, or a commit that it does not have; the message is for people. */
export class GitError extends Error {
  override name = "GitError";
  readonly kind: "no_repository" | "no_commit" | "no_git" | "too_much";
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
    "--no-ext-diff",
    `${base}...${head}`,
  ]);
  if (text === null) throw new GitError("no_repository", `git cannot compare the commits: ${problem}`);
  return text.split("\0").filter(Boolean);
}

/** A file of a commit, as git lists it. */
const LISTED = /^100(?:644|755) blob ([0-9a-f]{40,64}) +(\d+)\t([\s\S]+)$/;

/**
 * Plain files of a commit whose path is wanted, as text; links are none.
 * @throws GitError, also when there are more than `most`, or more than `maxBytes` together
 */
export async function filesOfCommit(
  folder: string,
  sha: string,
  isWanted: (path: string) => boolean,
  { most, maxBytes }: { most: number; maxBytes: number },
): Promise<{ path: string; text: string }[]> {
  await requireCommit(folder, sha);
  const { text, problem } = await git(folder, ["ls-tree", "-r", "-z", "--long", sha]);
  if (text === null) throw new GitError("no_repository", `git cannot list the commit: ${problem}`);
  const files = text.split("\0").flatMap((line) => {
    const [, blob, size, path] = LISTED.exec(line) ?? [];
    return blob && path && isWanted(path) ? [{ blob, path, size: Number(size) }] : [];
  });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > most || bytes > maxBytes)
    throw new GitError(
      "too_much",
      `The commit has ${files.length} such files of ${bytes} bytes; at most ${most} of ${maxBytes} bytes are read.`,
    );
  const found: { path: string; text: string }[] = [];
  for (const { blob, path } of files) {
    const read = await git(folder, ["cat-file", "blob", blob]);
    if (read.text === null) throw new GitError("no_repository", `git cannot read ${path}: ${read.problem}`);
    found.push({ path, text: read.text });
  }
  return found;
}

/** @throws GitError for a commit that is not there, or a folder that is no repository */
async function requireCommit(folder: string, sha: string): Promise<string> {
  const commit = (
    await git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${sha}^{commit}`])
  ).text;
  if (commit !== null) return commit.trim();
  const { text: repository, problem } = await git(folder, ["rev-parse", "--git-dir"]);
  if (repository === null)
    throw new GitError("no_repository", `${folder} cannot be read as a git repository: ${problem}`);
  throw new GitError("no_commit", `The repository has no commit ${sha}, or several that begin like it.`);
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
