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
  };
}

/** The commit that is checked out; null outside of a repository or without git. */
export async function readGitCommit(folder: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], {
      cwd: folder,
      timeout: GIT_MS,
    });
    return /^[0-9a-f]{7,64}$/.test(stdout.trim()) ? stdout.trim() : null;
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
