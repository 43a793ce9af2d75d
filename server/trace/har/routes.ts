import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { bytesAnswer } from "../docs.ts";
import { harStream } from "./service.ts";

/** The network of a trace for other tools. */
export function harRoutes(deps: Deps) {
  return new Elysia({ name: "har" }).use(authMacro(deps)).get(
    "/v1/traces/:id/har",
    async ({ actor, params }) => {
      const trace = await requireTrace(deps, actor, params.id);
      return new Response(await harStream(deps, trace), {
        headers: {
          "content-type": "application/json",
          "content-disposition": `attachment; filename="trace-${trace.short_id}.har"`,
          "cache-control": "private, no-store",
        },
      });
    },
    {
      auth: { scope: "traces:read" },
      params: TraceParams,
      detail: {
        operationId: "har.read",
        tags: ["trace", "har"],
        summary: "The requests of a trace as an HTTP archive",
        description:
          "Headers, cookies and bodies stand there as they were recorded. Bodies of more than 1 MB, and those past 50 MB in all, are left out, which their `comment` says. WebSocket messages stand in `_webSocketMessages`, as in Chromium's own archives.",
        responses: {
          200: bytesAnswer(
            "application/json",
            "HAR 1.2, in the order in which the exchanges ended; WebSockets and unanswered requests last.",
          ),
          409: { description: "The trace is cold: restore it first." },
        },
      },
    },
  );
}
