import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MenderRow } from "../../../store/records/mender.ts";
import type { RunRow } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict } from "../../http/errors.ts";
import { isFirstOrg, outsideAddress } from "../../identity/orgs.ts";
import { commitOnBranch } from "../../platform/git/commit-on-branch.ts";
import { headCommit } from "../../platform/git/commits.ts";
import { type CommittedFile, filesOfCommit } from "../../platform/git/files-of-commit.ts";
import { GitError } from "../../platform/git/git.ts";
import { applyUnifiedDiff, DiffError, readUnifiedDiff } from "../../run/playback/unified-diff.ts";
import { codeHostOf } from "../code-host/code-host-of.ts";
import { type CodeHost, CodeHostError } from "../code-host/types.ts";
import { judgePath } from "../guardrails/paths.ts";
import { sourcesOf } from "./model.ts";

/** What a fix is told to be, wherever it goes. */
export interface Told {
  title: string;
  /** Markdown. */
  body: string;
}

const AUTHOR = { name: "Tracedeck", email: "mender@tracedeck.invalid" };
const MOST_FILES = 20;
/** How often a branch that moves on meanwhile is looked at. */
const MOST_LOOKS = 3;
const MOST_BYTES = 8 * 1024 * 1024;

const branchOf = ({ id }: MenderRow): string => `tracedeck/fix-${id.slice(-12)}`;

/**
 * Opens a pull request with the attempt's patch at the code host; without one, makes a branch with a commit in the local
 * repository. Doing it again gives the same.
 * @returns the pull request's address, or that of the attempt's page
 * @throws AppError `conflict` when the repository's file is another one by now; `unavailable` without a repository, or when it
 * cannot be reached
 */
export async function propose(
  deps: Deps,
  row: MenderRow,
  run: RunRow | null,
  patched: string,
  told: Told,
): Promise<string> {
  const host = await codeHostOf(deps, row.org_id);
  if (host) return throughHost(deps, host, { row, run, patched, told });
  const folder = deps.config.settings.code_host.repository_path;
  if (folder === null || !(await isFirstOrg(deps, row.org_id)))
    throw new AppError(
      "unavailable",
      'There is no repository to put the patch into: "code_host" of settings.json names a code host with its credentials, or "repository_path".',
    );
  return intoFolder(deps, folder, row, patched, told);
}

interface Fix {
  row: MenderRow;
  run: RunRow | null;
  patched: string;
  told: Told;
}

async function throughHost(deps: Deps, host: CodeHost, fix: Fix): Promise<string> {
  try {
    return await whileItMoves(() => putOnHead(deps, host, fix));
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    if (error.kind === "conflict") throw conflict(`The code host refused: ${error.message}`);
    const seconds =
      error.retryAt === null ? null : Math.max(1, Math.ceil((error.retryAt - deps.clock.now()) / 1000));
    throw new AppError("unavailable", `The code host did not take the patch: ${error.message}`, {
      cause: error,
      ...(seconds !== null && { headers: { "retry-after": String(seconds) } }),
    });
  }
}

/** What was read of a branch holds for the commit that it stood at: where it moved on meanwhile it is looked at again. */
async function whileItMoves(put: () => Promise<string>): Promise<string> {
  for (let looks = 1; ; looks++) {
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof CodeHostError) || error.kind !== "moved") throw error;
      if (looks === MOST_LOOKS) throw conflict(`${error.message} Apply the fix again when that is over.`);
    }
  }
}

async function putOnHead(deps: Deps, host: CodeHost, { row, run, patched, told }: Fix): Promise<string> {
  const base = await baseOf(host, run);
  const read = async (isWanted: (path: string) => boolean): Promise<CommittedFile[]> =>
    (await host.filesAt(base.sha, isWanted, MOST_FILES)).map((file) => ({ ...file, mode: "100644" }));
  const files = await changedFiles(deps, row, patched, read);
  const { url } = await host.propose({
    baseRef: base.ref,
    baseSha: base.sha,
    branch: branchOf(row),
    title: told.title,
    body: told.body,
    commitMessage: `${told.title}\n\n${told.body}`,
    files,
  });
  return url;
}

/** A pull request's own branch gets the fix of its runs, where it is of this repository; every other fix is for the default branch. */
async function baseOf(host: CodeHost, run: RunRow | null): Promise<{ ref: string; sha: string }> {
  const pr = run?.pr ? (JSON.parse(run.pr) as { number?: number }) : null;
  if (pr?.number !== undefined) {
    const pull = await host.pullRequest(pr.number);
    if (pull.state === "open" && !pull.isFork) return { ref: pull.headRef, sha: pull.headSha };
  }
  return host.defaultBranch();
}

async function intoFolder(
  deps: Deps,
  folder: string,
  row: MenderRow,
  patched: string,
  told: Told,
): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), "tracedeck-index-"));
  try {
    const parent = await headCommit(folder);
    const read = (isWanted: (path: string) => boolean): Promise<CommittedFile[]> =>
      filesOfCommit(folder, parent, isWanted, { most: MOST_FILES, maxBytes: MOST_BYTES });
    const files = await changedFiles(deps, row, patched, read);
    await commitOnBranch(
      folder,
      branchOf(row),
      { parent, files, message: `${told.title}\n\n${told.body}\n`, author: AUTHOR, at: row.created_at },
      join(temporary, "index"),
    );
    return `${outsideAddress(deps.config)}/mender/${row.id}`;
  } catch (error) {
    if (error instanceof GitError) throw new AppError("unavailable", error.message, { cause: error });
    throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The files of the commit as they are to be. @throws AppError `conflict` for one that is not as the patch expects it */
async function changedFiles(
  deps: Deps,
  row: MenderRow,
  patched: string,
  read: (isWanted: (path: string) => boolean) => Promise<CommittedFile[]>,
): Promise<CommittedFile[]> {
  const { mender, code_host } = deps.config.settings;
  const changed: CommittedFile[] = [];
  const ends = (end: string) => (path: string) => path === end || path.endsWith(`/${end}`);
  if (patched !== row.base_text) {
    const found = await read(ends(row.path));
    const same = found.filter(({ text }) => text === row.base_text);
    const file = same.find(({ path }) => path === row.path) ?? (same.length === 1 ? same[0] : undefined);
    if (!file && found.length === 0) throw conflict(`The repository has no file ${row.path}.`);
    if (!file)
      throw conflict(
        same.length > 1
          ? `The repository has several files ${row.path} that are alike: ${same.map(({ path }) => path).join(", ")}.`
          : `The file ${found.map(({ path }) => path).join(", ")} was changed since the scenario failed: run it again, and a new fix is looked for.`,
      );
    requireText(file);
    changed.push({ ...file, text: patched });
  }
  for (const { path, diff } of sourcesOf(row)) {
    const found = await read(ends(path.replace(/^\/+/, "")));
    if (found.length !== 1)
      throw conflict(
        `The repository has ${found.length} files that ${path} may mean: the patch cannot be put there.`,
      );
    requireText(found[0]!);
    const patch = readUnifiedDiff(diff);
    // Several patches of one file follow each other, as in the replay.
    const known = changed.find((file) => file.path === found[0]!.path);
    const { text } = known ?? found[0]!;
    try {
      const now = patch ? applyUnifiedDiff(text, patch) : text;
      if (known) known.text = now;
      else changed.push({ ...found[0]!, text: now });
    } catch (error) {
      if (!(error instanceof DiffError)) throw error;
      throw conflict(`The patch of ${found[0]!.path} ${error.message}.`);
    }
  }
  for (const { path } of changed) {
    const refused = await judgePath(path, mender.forbidden_paths, code_host.repository_path);
    if (refused) throw conflict(refused.message);
  }
  return changed;
}

/** Files are written whole: bytes that are no text would be others afterwards, far from what the patch changes. */
function requireText({ path, text }: CommittedFile): void {
  if (text.includes("\ufffd"))
    throw conflict(`The file ${path} is no text in UTF-8: the patch would change more of it than it says.`);
}
