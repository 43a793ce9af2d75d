import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../../trace/access.ts";
import { PromoteAnswer, PromoteRequest } from "./model.ts";
import { promoteFix } from "./service.ts";

/** A replay's changes as a fix; in the dialect of the trace API. */
export function promoteRoutes(deps: Deps) {
  return new Elysia({ name: "mender.promote" })
    .use(authMacro(deps))
    .post(
      "/v1/traces/:id/promote-fix",
      ({ actor, params, body }) => promoteFix(deps, actor, params.id, body),
      {
        auth: { scope: "mender:apply" },
        params: TraceParams,
        body: PromoteRequest,
        response: { 200: PromoteAnswer },
        detail: {
          operationId: "mender.promote",
          tags: ["trace", "mender"],
          summary: "Make a fix of a replay that passed with changes, and apply it",
          description:
            "What no patch may do, this one may not either. The same replay again is answered alike.",
          responses: {
            400: {
              description:
                "`invalid_request`: the message names what the changes would weaken, or what the replay no longer does.",
            },
            409: {
              description:
                "`conflict`: the replay did not pass or changed nothing, or the file was changed since.",
            },
            503: { description: "`unavailable`: there is no repository, or it cannot be reached." },
          },
        },
      },
    );
}
