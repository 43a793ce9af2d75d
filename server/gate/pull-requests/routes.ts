import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { readIntegers } from "../../trace/query.ts";
import { PullRequestDetail, PullRequestList, PullRequestQuery } from "./model.ts";
import { showPullRequest, showPullRequests } from "./service.ts";

const TAGS = ["gate", "pull-requests"];
const READ = { scope: "runs:read" } as const;

/** Pull requests that gates judge, with their newest verdicts. */
export function pullRequestsRoutes(deps: Deps) {
  return new Elysia({ name: "pull-requests", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/pull-requests", ({ actor, query }) => showPullRequests(deps, actor, query), {
      auth: READ,
      query: PullRequestQuery,
      transform: readIntegers("limit", "number"),
      response: { 200: PullRequestList },
      detail: {
        operationId: "pull-requests.list",
        tags: TAGS,
        summary: "List pull requests with their last verdict",
      },
    })
    .get("/v1/pull-requests/:id", ({ actor, params }) => showPullRequest(deps, actor, params.id), {
      auth: READ,
      params: Type.Object({ id: Type.String({ format: "uuid" }) }),
      response: { 200: PullRequestDetail },
      detail: {
        operationId: "pull-requests.show",
        tags: TAGS,
        summary: "One pull request with the gates of its commits",
      },
    });
}
