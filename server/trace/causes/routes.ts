import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { DAMAGED } from "../docs.ts";
import { CauseAnswer } from "./model.ts";
import { showCause } from "./service.ts";

/** Why a trace failed. */
export function causesRoutes(deps: Deps) {
  return new Elysia({ name: "causes" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/:id/cause",
      async ({ actor, params }) => showCause(deps, await requireTrace(deps, actor, params.id)),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        response: { 200: CauseAnswer },
        detail: {
          operationId: "causes.show",
          tags: ["trace", "causes"],
          summary: "Why a trace failed: ranked suspects with their events",
          description:
            "Found when the trace is processed, against the newest passes of its scenario. What they have as well is subtracted and counted in also_when_passing.",
          responses: DAMAGED,
        },
      },
    );
}
