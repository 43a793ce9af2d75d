import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { readIntegers } from "../../trace/query.ts";
import { AttemptAnswer, AttemptList, AttemptListQuery, AttemptParams, Preview, Rejection } from "./model.ts";
import { applyAttempt, previewAttempt, rejectAttempt, showAttempt, showAttempts } from "./service.ts";

const TAGS = ["gate", "mender"];
const READ = { scope: "mender:read" } as const;
const APPLY = { scope: "mender:apply" } as const;
// Who may write in the name of an agent may refuse, and not apply.
const REJECT = { scope: ["mender:apply", "mcp:write"] } as const;

/** Attempts to mend scenarios that failed. */
export function menderRoutes(deps: Deps) {
  return new Elysia({ name: "mender", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/mender", ({ actor, query }) => showAttempts(deps, actor, query), {
      auth: READ,
      query: AttemptListQuery,
      transform: readIntegers("limit"),
      response: { 200: AttemptList },
      detail: {
        operationId: "mender.list",
        tags: TAGS,
        summary: "List attempts to mend scenarios, newest first",
        description:
          "One is made for each new failure of a scenario whose file has a `mender` block: on the final failed run of the types pr, schedule and manual.",
      },
    })
    .get("/v1/mender/:id", ({ actor, params }) => showAttempt(deps, actor, params.id), {
      auth: READ,
      params: AttemptParams,
      response: { 200: AttemptAnswer },
      detail: {
        operationId: "mender.show",
        tags: TAGS,
        summary: "One attempt: what broke, why, and the patch",
      },
    })
    .get("/v1/mender/:id/preview", ({ actor, params }) => previewAttempt(deps, actor, params.id), {
      auth: READ,
      params: AttemptParams,
      response: { 200: Preview },
      detail: { operationId: "mender.preview", tags: TAGS, summary: "The patch of an attempt as a diff" },
    })
    .post("/v1/mender/:id/apply", ({ actor, params }) => applyAttempt(deps, actor, params.id), {
      auth: APPLY,
      params: AttemptParams,
      response: { 200: AttemptAnswer },
      detail: {
        operationId: "mender.apply",
        tags: TAGS,
        summary: "Open a pull request with a verified patch",
        description:
          "At the code host that the settings name; without one, a branch with a commit in the repository at `code_host.repository_path`, and `pr_url` is the attempt's page. Doing it again changes nothing.",
        responses: {
          409: {
            description:
              "`invalid_transition`: the patch is not verified. `conflict`: the file was changed since, or the settings forbid it.",
          },
          503: { description: "`unavailable`: there is no repository, or it cannot be reached." },
        },
      },
    })
    .post(
      "/v1/mender/:id/reject",
      ({ actor, params, body }) => rejectAttempt(deps, actor, params.id, body.reason),
      {
        auth: REJECT,
        params: AttemptParams,
        body: Rejection,
        response: { 200: AttemptAnswer },
        detail: {
          operationId: "mender.reject",
          tags: TAGS,
          summary: "Refuse a patch, with a reason",
          description: "The same change of that scenario is not proposed again.",
          responses: {
            409: { description: "`invalid_transition`: it is applied, or still being looked at." },
          },
        },
      },
    );
}
