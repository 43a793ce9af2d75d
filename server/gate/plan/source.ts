import type { GateRow } from "../../../store/records/gates.ts";
import type { Deps } from "../../deps.ts";
import { isFirstOrg } from "../../identity/orgs.ts";
import { pathsBetween } from "../../platform/git/changed-paths.ts";
import { filesOfCommit } from "../../platform/git/files-of-commit.ts";
import { GitError } from "../../platform/git/git.ts";
import { SCENARIO_SUFFIX } from "../../run/scenarios/files.ts";
import { codeHostOf } from "../code-host/code-host-of.ts";
import type { ChangedFiles, CodeHost, RepositoryFile } from "../code-host/types.ts";
import type { GivenFiles } from "../flow/open.ts";
import { isOwnRepository } from "./own-repository.ts";

/** A gate cannot be planned, and trying again would not help; the message is for people. */
export class PlanError extends Error {
  override name = "PlanError";
}

export const MOST_FILES = 2000;
export const MOST_FILE_BYTES = 8 * 1024 * 1024;

/** The code host of a gate's repository; null where the settings name none, or another one. */
export async function hostOf(
  deps: Pick<Deps, "store" | "gateState">,
  { org_id, repository }: Pick<GateRow, "org_id" | "repository">,
): Promise<CodeHost | null> {
  const host = await codeHostOf(deps, org_id);
  return host?.repository.toLowerCase() === repository.toLowerCase() ? host : null;
}

/**
 * What a gate is made from: what came with the request, else what the code host has, else the repository on this machine's disk, which
 * is the first org's.
 * @throws PlanError, CodeHostError
 */
export async function readCommit(
  deps: Deps,
  gate: GateRow,
  host: CodeHost | null,
): Promise<{ changed: ChangedFiles; files: RepositoryFile[] }> {
  const given = gate.given === null ? null : (JSON.parse(gate.given) as GivenFiles);
  const { repository, repository_path } = deps.config.settings.code_host;
  const isOwn = isOwnRepository(repository, gate.repository) && (await isFirstOrg(deps, gate.org_id));
  const folder = isOwn ? repository_path : null;
  return { changed: await changedOf(), files: await filesOf() };

  async function changedOf(): Promise<ChangedFiles> {
    if (given?.changed) return { paths: given.changed, isCut: false };
    if (host) return host.changedFiles(gate.base_sha, gate.head_sha);
    if (folder)
      return orPlanError(async () => ({
        paths: await pathsBetween(folder, gate.base_sha, gate.head_sha),
        isCut: false,
      }));
    // Nobody says what changed, so anything may have.
    return { paths: [], isCut: true };
  }

  async function filesOf(): Promise<RepositoryFile[]> {
    const isScenario = (path: string): boolean => path.endsWith(SCENARIO_SUFFIX);
    if (given?.files) return given.files;
    if (host) return host.filesAt(gate.head_sha, isScenario, MOST_FILES);
    const most = { most: MOST_FILES, maxBytes: MOST_FILE_BYTES };
    if (folder) return orPlanError(() => filesOfCommit(folder, gate.head_sha, isScenario, most));
    throw new PlanError(
      'The scenario files of the commit are not known: the request must carry them ("files"), or settings.json must name the repository ("code_host").',
    );
  }
}

async function orPlanError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof GitError ? new PlanError(error.message) : error;
  }
}
