import { Commit, HostPullRequest, HostPullRequests, Made, Ref, Tree } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { filesOf } from "./contents.ts";
import { cutBytes } from "./limits.ts";
import { toPullRequest } from "./pull-requests.ts";
import { type CodeHost, CodeHostError, type Proposal } from "./types.ts";

const LONGEST_TITLE = 256;
const LONGEST_BODY = 65_536;
const REGULAR = "100644";

/**
 * Opens pull requests: tree, commit, branch, pull request (https://docs.github.com/rest/git). Each step that was done before is
 * found again, so that the same branch gives the same pull request however often it is asked for.
 */
export function proposalWrites(host: Connection): Pick<CodeHost, "propose"> {
  async function opened(branch: string): Promise<{ number: number; url: string } | null> {
    const { data } = await host.call(
      "GET /repos/{owner}/{repo}/pulls",
      { head: `${host.owner}:${branch}`, state: "all", per_page: 1 },
      HostPullRequests,
    );
    const [first] = data.map(toPullRequest);
    return first?.headRef === branch ? { number: first.number, url: first.url } : null;
  }

  async function headOf(branch: string): Promise<string | null> {
    try {
      const { data } = await host.call(
        "GET /repos/{owner}/{repo}/git/ref/{ref}",
        { ref: `heads/${branch}` },
        Ref,
      );
      return data.object.sha;
    } catch (error) {
      if (error instanceof CodeHostError && error.kind === "not_found") return null;
      throw error;
    }
  }

  /** One commit on the base as it is now. */
  async function commitOn(base: string, { files, commitMessage }: Proposal): Promise<string> {
    const { data: parent } = await host.call(
      "GET /repos/{owner}/{repo}/git/commits/{commit_sha}",
      { commit_sha: base },
      Commit,
    );
    const modes = new Map((await filesOf(host, parent.tree.sha)).map(({ path, mode }) => [path, mode]));
    const tree = files.map(({ path, text }) => ({
      path,
      mode: modes.get(path) ?? REGULAR,
      type: "blob",
      ...(text === null ? { sha: null } : { content: text }),
    }));
    const { data: made } = await host.call(
      "POST /repos/{owner}/{repo}/git/trees",
      { base_tree: parent.tree.sha, tree },
      Tree,
    );
    const { data: commit } = await host.call(
      "POST /repos/{owner}/{repo}/git/commits",
      { message: commitMessage, tree: made.sha, parents: [base] },
      Made,
    );
    return commit.sha;
  }

  async function makeBranch(proposal: Proposal): Promise<void> {
    const base = await headOf(proposal.baseRef);
    if (base === null)
      throw new CodeHostError("not_found", `The repository has no branch "${proposal.baseRef}".`);
    // What was read may be another file by now.
    if (proposal.baseSha !== undefined && proposal.baseSha !== base)
      throw new CodeHostError("moved", `"${proposal.baseRef}" has moved on since its files were read.`);
    const sha = await commitOn(base, proposal);
    try {
      await host.call(
        "POST /repos/{owner}/{repo}/git/refs",
        { ref: `refs/heads/${proposal.branch}`, sha },
        Ref,
      );
    } catch (error) {
      // Another one of us was there first.
      const isRefused = error instanceof CodeHostError && error.kind === "refused";
      if (!isRefused || (await headOf(proposal.branch)) === null) throw error;
    }
  }

  return {
    async propose(proposal) {
      const { branch, baseRef: base, title, body } = proposal;
      const before = await opened(branch);
      if (before) return before;
      if ((await headOf(branch)) === null) await makeBranch(proposal);
      try {
        const { data } = await host.call(
          "POST /repos/{owner}/{repo}/pulls",
          {
            head: branch,
            base,
            title: cutBytes(title, LONGEST_TITLE),
            body: cutBytes(body, LONGEST_BODY),
          },
          HostPullRequest,
        );
        return { number: data.number, url: data.html_url };
      } catch (error) {
        const isRefused = error instanceof CodeHostError && error.kind === "refused";
        const meanwhile = isRefused ? await opened(branch) : null;
        if (meanwhile) return meanwhile;
        throw error;
      }
    },
  };
}
