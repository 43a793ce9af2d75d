import type { Static } from "@sinclair/typebox";
import { fromIso } from "../../platform/clock.ts";
import { HostPullRequest, HostPullRequests } from "./answers.ts";
import type { Connection } from "./connection.ts";
import type { CodeHost, PullRequest } from "./types.ts";

/** 300 of them (see `CodeHost.openPullRequests`). */
const MOST_PAGES = 3;

/** Reading pull requests: https://docs.github.com/rest/pulls/pulls */
export function pullRequestReads(
  host: Connection,
): Pick<CodeHost, "pullRequest" | "openPullRequests" | "pullRequestsOf"> {
  async function open(): Promise<PullRequest[]> {
    const pages = await host.pages(
      "GET /repos/{owner}/{repo}/pulls",
      { state: "open", sort: "created", direction: "desc" },
      HostPullRequests,
      { mostPages: MOST_PAGES },
    );
    return pages.flat().map(toPullRequest);
  }
  return {
    async pullRequest(number) {
      const { data } = await host.call(
        "GET /repos/{owner}/{repo}/pulls/{pull_number}",
        { pull_number: number },
        HostPullRequest,
      );
      return toPullRequest(data);
    },
    openPullRequests: open,
    async pullRequestsOf(sha) {
      const { data } = await host.call(
        "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls",
        { commit_sha: sha, per_page: 100 },
        HostPullRequests,
      );
      const meant = (all: PullRequest[]) => all.filter((one) => one.state === "open" && one.headSha === sha);
      const found = meant(data.map(toPullRequest));
      // Of a commit that lies in a fork the host knows none by this way.
      return found.length > 0 ? found : meant(await open());
    },
  };
}

export function toPullRequest(given: Static<typeof HostPullRequest>): PullRequest {
  const { head, base } = given;
  const headRepository = head.repo?.full_name ?? null;
  return {
    number: given.number,
    title: given.title,
    url: given.html_url,
    author: given.user?.login ?? null,
    state: given.state === "open" ? "open" : "closed",
    isMerged: (given.merged_at ?? null) !== null,
    isDraft: given.draft ?? false,
    headSha: head.sha,
    headRef: head.ref,
    headRepository,
    isFork: headRepository !== base.repo.full_name,
    baseSha: base.sha,
    baseRef: base.ref,
    updatedAt: fromIso(given.updated_at) ?? 0,
  };
}
