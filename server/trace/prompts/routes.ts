import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { bytesAnswer } from "../docs.ts";
import { tracePrompt } from "./service.ts";

/** A failure as a prompt for an agent. */
export function promptsRoutes(deps: Deps) {
  return new Elysia({ name: "prompts" }).use(authMacro(deps)).get(
    "/v1/traces/:id/prompt.md",
    async ({ actor, params, request }) => {
      const trace = await requireTrace(deps, actor, params.id);
      return new Response(await tracePrompt(deps, trace, publicOriginOf(request, deps.config), "member"), {
        headers: {
          "content-type": "text/markdown; charset=utf-8; variant=CommonMark",
          "cache-control": "private, no-cache",
        },
      });
    },
    {
      auth: { scope: "traces:read" },
      params: TraceParams,
      detail: {
        operationId: "prompts.show",
        tags: ["trace", "prompts"],
        summary: "What failed, told to an agent in at most 16 kB of markdown",
        responses: {
          200: bytesAnswer(
            "text/markdown",
            "What happened, the error, its place in the code, the steps around it, failing requests, console errors.",
          ),
        },
      },
    },
  );
}
