import { Comment, Comments, HostApp, HostUser } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { cutBytes } from "./limits.ts";
import { type CodeHost, CodeHostError } from "./types.ts";

const LONGEST = 65_536;
/** 3,000 comments. */
const MOST_PAGES = 30;
/** A token that a CI run of the host is given; nobody can ask it who it is. */
const CI_LOGIN = "github-actions[bot]";

/** The one comment that we keep on a pull request: https://docs.github.com/rest/issues/comments */
export function commentWrites(host: Connection): Pick<CodeHost, "putComment"> {
  let login: Promise<string> | null = null;

  async function askWhoWeAre(): Promise<string> {
    if (host.isApp) {
      const { data } = await host.call("GET /app", {}, HostApp, { as: "app" });
      return `${data.slug ?? ""}[bot]`;
    }
    try {
      return (await host.call("GET /user", {}, HostUser)).data.login;
    } catch (error) {
      if (error instanceof CodeHostError && error.kind === "unauthorized" && !error.isCredential)
        return CI_LOGIN;
      throw error;
    }
  }

  function ownLogin(): Promise<string> {
    login ??= askWhoWeAre().catch((error: unknown) => {
      login = null;
      throw error;
    });
    return login;
  }

  return {
    async putComment(number, marker, body) {
      const us = await ownLogin();
      // Anybody may begin a comment with our marker.
      const isOurs = (one: { body?: string | null; user: { login: string } | null }) =>
        one.user?.login === us && (one.body ?? "").startsWith(marker);
      const pages = await host.pages(
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        { issue_number: number },
        Comments,
        { mostPages: MOST_PAGES, isEnough: (page) => page.some(isOurs) },
      );
      const ours = pages.flat().find(isOurs);
      const text = cutBytes(body.startsWith(marker) ? body : `${marker}\n${body}`, LONGEST);
      const { data } = ours
        ? await host.call(
            "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}",
            { comment_id: ours.id, body: text },
            Comment,
          )
        : await host.call(
            "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
            { issue_number: number, body: text },
            Comment,
          );
      return data.id;
    },
  };
}
