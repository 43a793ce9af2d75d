import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { bytesAnswer, DAMAGED } from "../docs.ts";
import { reportResponse } from "./service.ts";

/** The forensic report of a trace. */
export function reportsRoutes(deps: Deps) {
  return new Elysia({ name: "reports" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/:id/report.md",
      async ({ actor, params, request }) =>
        reportResponse(
          deps,
          await requireTrace(deps, actor, params.id),
          publicOriginOf(request, deps.config),
        ),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        detail: {
          operationId: "reports.show",
          tags: ["trace", "reports"],
          summary: "What failed, where, and what was around it, as markdown",
          responses: {
            200: bytesAnswer("text/markdown", "CommonMark, as an attachment `trace-<short_id>.md`."),
            ...DAMAGED,
          },
        },
      },
    );
}
