import { requireCommit } from "./commits.ts";
import { GitError, git } from "./git.ts";

/** A plain file of a commit, as it is stored: no filter is run. */
export interface CommittedFile {
  path: string;
  /** `100644` or `100755` */
  mode: string;
  text: string;
}

/** A file of a commit, as git lists it. */
const LISTED = /^(100(?:644|755)) blob ([0-9a-f]{40,64}) +(\d+)\t([\s\S]+)$/;

/**
 * Plain files of a commit whose path is wanted, as text; links are none.
 * @throws GitError, also when there are more than `most`, or more than `maxBytes` together
 */
export async function filesOfCommit(
  folder: string,
  sha: string,
  isWanted: (path: string) => boolean,
  { most, maxBytes }: { most: number; maxBytes: number },
): Promise<CommittedFile[]> {
  await requireCommit(folder, sha);
  const { text, problem } = await git(folder, ["ls-tree", "-r", "-z", "--long", "--full-tree", sha]);
  if (text === null) throw new GitError("no_repository", `git cannot list the commit: ${problem}`);
  const files = text.split("\0").flatMap((line) => {
    const [, mode, blob, size, path] = LISTED.exec(line) ?? [];
    return mode && blob && path && isWanted(path) ? [{ mode, blob, path, size: Number(size) }] : [];
  });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > most || bytes > maxBytes)
    throw new GitError(
      "too_much",
      `The commit has ${files.length} such files of ${bytes} bytes; at most ${most} of ${maxBytes} bytes are read.`,
    );
  const found: CommittedFile[] = [];
  for (const { mode, blob, path } of files) {
    const read = await git(folder, ["cat-file", "blob", blob]);
    if (read.text === null) throw new GitError("no_repository", `git cannot read ${path}: ${read.problem}`);
    found.push({ path, mode, text: read.text });
  }
  return found;
}
