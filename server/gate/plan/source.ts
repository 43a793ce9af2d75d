import { commitRecordings } from "../../../store/records/commit-recordings.ts";
import type { GateRow } from "../../../store/records/gates.ts";
import type { Deps } from "../../deps.ts";
import { isFirstOrg } from "../../identity/orgs.ts";
import { pathsBetween } from "../../platform/git/changed-paths.ts";
import { mergeBase } from "../../platform/git/commits.ts";
import { filesOfCommit } from "../../platform/git/files-of-commit.ts";
import { GitError } from "../../platform/git/git.ts";
import { SCENARIO_SUFFIX } from "../../run/scenarios/files.ts";
import { codeHostOf } from "../code-host/code-host-of.ts";
import { type ChangedFiles, type CodeHost, CodeHostError, type RepositoryFile } from "../code-host/types.ts";
import type { GivenFiles } from "../flow/open.ts";
import { isOwnRepository } from "./own-repository.ts";

/** A gate cannot be planned, and trying again would not help; the message is for people. */
export class PlanError extends Error {
  override name = "PlanError";
}

export const MOST_FILES = 2000;
export const MOST_FILE_BYTES = 8 * 1024 * 1024;
/** Of all recordings of a commit that its concerned scenarios name. */
const MOST_RECORDING_BYTES = 8 * 1024 * 1024;

/** The code host of a gate's repository; null where the settings name none, or another one. */
export async function hostOf(
  deps: Pick<Deps, "store" | "gateState">,
  { org_id, repository }: Pick<GateRow, "org_id" | "repository">,
): Promise<CodeHost | null> {
  const host = await codeHostOf(deps, org_id);
  return host?.repository.toLowerCase() === repository.toLowerCase() ? host : null;
}

const isScenario = (path: string): boolean => path.endsWith(SCENARIO_SUFFIX);

const givenTo = (gate: GateRow): GivenFiles | null =>
  gate.given === null ? null : (JSON.parse(gate.given) as GivenFiles);

/** The repository on this machine's disk that has a gate's commits: the first org's, and its own repository's alone. */
async function folderOf(deps: Deps, gate: GateRow): Promise<string | null> {
  const { repository, repository_path } = deps.config.settings.code_host;
  const isOwn = isOwnRepository(repository, gate.repository) && (await isFirstOrg(deps, gate.org_id));
  return isOwn ? repository_path : null;
}

/** What a gate is made from. */
export interface CommitFiles {
  changed: ChangedFiles;
  /** The scenario files of the head commit. */
  files: RepositoryFile[];
}

/**
 * Reads what a gate is made from: what came with the request, else what the code host has, else the repository on this machine's disk.
 * @throws PlanError, CodeHostError
 */
export async function readCommit(deps: Deps, gate: GateRow, host: CodeHost | null): Promise<CommitFiles> {
  const given = givenTo(gate);
  const folder = await folderOf(deps, gate);
  return { changed: await changedOf(), files: await filesOf() };

  async function changedOf(): Promise<ChangedFiles> {
    if (given?.changed) return { paths: given.changed, isCut: false, mergeBaseSha: null };
    if (host) return host.changedFiles(gate.base_sha, gate.head_sha);
    if (folder)
      return orPlanError(async () => ({
        paths: await pathsBetween(folder, gate.base_sha, gate.head_sha),
        ...{ isCut: false, mergeBaseSha: null },
      }));
    // Nobody says what changed, so anything may have.
    return { paths: [], isCut: true, mergeBaseSha: null };
  }

  async function filesOf(): Promise<RepositoryFile[]> {
    if (given?.files) return given.files;
    const files = await scenariosAt(gate.head_sha, host, folder);
    if (files) return files;
    throw new PlanError(
      'The scenario files of the commit are not known: the request must carry them ("files"), or settings.json must name the repository ("code_host").',
    );
  }
}

/**
 * The scenario files as they were before the change: of the commit where its branch began, since what the base branch got meanwhile is
 * none of it. Null where nobody knows them.
 * @throws PlanError, CodeHostError
 */
export async function readBefore(
  deps: Deps,
  gate: GateRow,
  host: CodeHost | null,
  { changed, files }: CommitFiles,
): Promise<RepositoryFile[] | null> {
  const touched = new Set(changed.paths.filter(isScenario));
  if (!changed.isCut && touched.size === 0) return files;
  const given = givenTo(gate)?.base_files ?? null;
  if (given) {
    const named = new Set(given.map(({ path }) => path));
    const untouched = files.filter(({ path }) => !touched.has(path) && !named.has(path));
    return changed.isCut ? given : [...untouched, ...given];
  }
  const { base_sha: base, head_sha: head } = gate;
  if (host) {
    const began = changed.mergeBaseSha ?? (await host.changedFiles(base, head)).mergeBaseSha;
    return scenariosAt(began ?? base, host, null);
  }
  const folder = await folderOf(deps, gate);
  if (folder === null) return null;
  return scenariosAt(await orPlanError(() => mergeBase(folder, base, head)), null, folder);
}

/** The scenario files of a commit; null where nobody can be asked. */
async function scenariosAt(
  sha: string,
  host: CodeHost | null,
  folder: string | null,
): Promise<RepositoryFile[] | null> {
  if (host) return host.filesAt(sha, isScenario, MOST_FILES);
  const most = { most: MOST_FILES, maxBytes: MOST_FILE_BYTES };
  return folder === null ? null : orPlanError(() => filesOfCommit(folder, sha, isScenario, most));
}

/**
 * Reads recordings of the head commit from where its scenario files come from, so that they are trusted as those are.
 * @returns those that are there
 * @throws PlanError and CodeHostError `refused` when they are too many or too large
 */
export async function readRecordingsAt(
  deps: Deps,
  gate: GateRow,
  host: CodeHost | null,
  paths: ReadonlySet<string>,
): Promise<RepositoryFile[]> {
  if (paths.size === 0) return [];
  const given = givenTo(gate);
  if (given?.recordings) return givenRecordings(deps, given.recordings, paths);
  const isWanted = (path: string): boolean => paths.has(path);
  const folder = host ? null : await folderOf(deps, gate);
  const most = { most: MOST_FILES, maxBytes: MOST_RECORDING_BYTES };
  try {
    if (host) return await host.filesAt(gate.head_sha, isWanted, MOST_FILES);
    return folder === null ? [] : await filesOfCommit(folder, gate.head_sha, isWanted, most);
  } catch (error) {
    // Where the files came with the request, nobody else need have the commit.
    if (given?.files && isAbsent(error)) return [];
    throw error instanceof GitError ? new PlanError(error.message) : error;
  }
}

const isAbsent = (error: unknown): boolean =>
  (error instanceof CodeHostError && error.kind === "not_found") ||
  (error instanceof GitError && error.kind === "no_commit");

async function givenRecordings(
  { store }: Pick<Deps, "store">,
  given: NonNullable<GivenFiles["recordings"]>,
  paths: ReadonlySet<string>,
): Promise<RepositoryFile[]> {
  const wanted = given.filter(({ path }) => paths.has(path));
  const hashes = wanted.map(({ hash }) => hash);
  const texts = new Map<string, string>();
  for (const { hash, har } of await commitRecordings(store.records, hashes))
    texts.set(hash, new TextDecoder().decode(await Bun.zstdDecompress(har)));
  return wanted.flatMap(({ path, hash }) => {
    const text = texts.get(hash);
    return text === undefined ? [] : [{ path, text }];
  });
}

async function orPlanError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof GitError ? new PlanError(error.message) : error;
  }
}
