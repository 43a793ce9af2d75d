import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { RestoreAnswer } from "./model.ts";
import { requestRestore } from "./restore.ts";

/** Bringing traces back from warm and cold. */
export function tiersRoutes(deps: Deps) {
  return new Elysia({ name: "tiers" })
    .use(authMacro(deps))
    .post("/v1/traces/:id/restore", ({ actor, params }) => requestRestore(deps, actor, params.id), {
      auth: { scope: "traces:write" },
      params: TraceParams,
      response: { 200: RestoreAnswer },
      detail: {
        operationId: "tiers.restore",
        tags: ["trace", "tiers"],
        summary: "Bring a warm or cold trace back to hot",
        responses: { 409: { description: "The trace is hot." } },
      },
    });
}
