import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { BaselineAnswer } from "./model.ts";
import { showBaseline } from "./service.ts";

/** What a trace is compared with when nobody says. */
export function baselinesRoutes(deps: Deps) {
  return new Elysia({ name: "baselines" })
    .use(authMacro(deps))
    .get("/v1/traces/:id/baseline", ({ actor, params }) => showBaseline(deps, actor, params.id), {
      auth: { scope: "traces:read" },
      params: TraceParams,
      response: { 200: BaselineAnswer },
      detail: {
        operationId: "baselines.show",
        tags: ["trace", "baselines"],
        summary: "The last trace of the same scenario that passed before this one",
        description: "Replays do not count: they may have run an edited scenario.",
      },
    });
}
