import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Environment } from "./options.ts";

/** What a CI says of its run. */
export interface CiFacts {
  commit: string | null;
  pr: number | null;
  source: "pr" | "schedule" | "manual";
  /** What the CI calls the run; null outside of one. */
  run: string | null;
  /** Where people look at it. */
  url: string | null;
  /** Such as `github`; null outside of a CI. */
  provider: string | null;
  branch: string | null;
}

const GIT_MS = 3000;

/** Reads the variables of GitHub Actions, GitLab, Bitbucket, CircleCI, Azure Pipelines and Jenkins. */
export function readCi(env: Environment): CiFacts {
  const pr = pullRequestOf(env);
  const isScheduled = env.GITHUB_EVENT_NAME === "schedule" || env.CI_PIPELINE_SOURCE === "schedule";
  const github = env.GITHUB_RUN_ID && `${env.GITHUB_RUN_ID}-${env.GITHUB_RUN_ATTEMPT ?? "1"}`;
  return {
    commit:
      githubHead(env) ||
      env.CI_COMMIT_SHA ||
      env.BITBUCKET_COMMIT ||
      env.CIRCLE_SHA1 ||
      env.BUILD_SOURCEVERSION ||
      env.GIT_COMMIT ||
      null,
    pr,
    source: pr !== null ? "pr" : isScheduled ? "schedule" : "manual",
    run:
      github ||
      env.CI_PIPELINE_ID ||
      env.BITBUCKET_BUILD_NUMBER ||
      env.CIRCLE_WORKFLOW_ID ||
      env.BUILD_BUILDID ||
      env.BUILD_TAG ||
      null,
    url:
      (env.GITHUB_SERVER_URL && env.GITHUB_RUN_ID
        ? `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`
        : env.CI_JOB_URL || env.CIRCLE_BUILD_URL || env.BUILD_URL) ?? null,
    provider: PROVIDERS.find(([name]) => env[name])?.[1] ?? null,
    branch: BRANCHES.map((name) => env[name]).find((name) => name) ?? null,
  };
}

/** Which variable tells which CI. */
const PROVIDERS = [
  ["GITHUB_RUN_ID", "github"],
  ["CI_PIPELINE_ID", "gitlab"],
  ["BITBUCKET_BUILD_NUMBER", "bitbucket"],
  ["CIRCLE_WORKFLOW_ID", "circleci"],
  ["BUILD_BUILDID", "azure"],
  ["BUILD_TAG", "jenkins"],
] as const;

/** Where CIs name the branch; those of pull requests first, which else name a merge. */
const BRANCHES = [
  ...["GITHUB_HEAD_REF", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CHANGE_BRANCH"],
  ...["SYSTEM_PULLREQUEST_SOURCEBRANCH", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BITBUCKET_BRANCH"],
  ...["CIRCLE_BRANCH", "BUILD_SOURCEBRANCHNAME", "BRANCH_NAME", "GIT_BRANCH"],
];

/** The commit that is checked out; null outside of a repository or without git. */
export async function readGitCommit(folder: string): Promise<string | null> {
  const text = (await git(folder, "rev-parse", "HEAD"))?.trim() ?? "";
  return /^[0-9a-f]{7,64}$/.test(text) ? text : null;
}

/** The branch that is checked out, and whether tracked files were changed; nothing outside of a repository. */
export async function readGitTree(folder: string): Promise<{ branch: string | null; isDirty: boolean }> {
  const text = await git(folder, "status", "--porcelain=v2", "--branch", "--untracked-files=no");
  const lines = text?.split("\n") ?? [];
  const branch = lines.find((line) => line.startsWith("# branch.head "))?.slice(14) ?? null;
  return {
    branch: branch === "(detached)" ? null : branch,
    isDirty: lines.some((line) => line !== "" && !line.startsWith("#")),
  };
}

async function git(folder: string, ...args: string[]): Promise<string | null> {
  try {
    const options = { cwd: folder, timeout: GIT_MS, maxBuffer: 64 * 1024 * 1024 };
    return (await promisify(execFile)("git", args, options)).stdout;
  } catch {
    return null;
  }
}

/** On pull requests GITHUB_SHA is a merge that exists nowhere else: the commit that people know stands in the event. */
function githubHead(env: Environment): string | null {
  if (env.GITHUB_EVENT_PATH && /^pull_request/.test(env.GITHUB_EVENT_NAME ?? "")) {
    try {
      const event = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8")) as {
        pull_request?: { head?: { sha?: unknown } };
      };
      const sha = event.pull_request?.head?.sha;
      if (typeof sha === "string") return sha;
    } catch {
      // Not readable here (a container without the file): the merge is better than nothing.
    }
  }
  return env.GITHUB_SHA || null;
}

function pullRequestOf(env: Environment): number | null {
  const texts = [
    /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? "")?.[1],
    env.CI_MERGE_REQUEST_IID,
    env.BITBUCKET_PR_ID,
    /\/(\d+)$/.exec(env.CIRCLE_PULL_REQUEST ?? "")?.[1],
    env.SYSTEM_PULLREQUEST_PULLREQUESTNUMBER,
    env.CHANGE_ID,
  ];
  const found = texts.find((text) => text !== undefined && /^[1-9]\d{0,14}$/.test(text));
  return found === undefined ? null : Number(found);
}
