import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { Attempts } from "./model.ts";
import { listAttempts } from "./service.ts";

/** The tries of one run: what a runner's retries left behind. */
export function attemptsRoutes(deps: Deps) {
  return new Elysia({ name: "attempts" })
    .use(authMacro(deps))
    .get("/v1/traces/:id/attempts", ({ actor, params }) => listAttempts(deps, actor, params.id), {
      auth: { scope: "traces:read" },
      params: TraceParams,
      response: { 200: Attempts },
      detail: {
        operationId: "attempts.list",
        tags: ["trace", "attempts"],
        summary: "The attempts of the run that a trace belongs to",
      },
    });
}
