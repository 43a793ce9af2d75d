import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { DAMAGED } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { requireShare } from "../share/service.ts";
import { requireTrace, TraceParams } from "../traces/access.ts";
import { FindAnswer, FindQuery } from "./model.ts";
import { findInBodies } from "./service.ts";

const TAGS = ["trace", "find"];
const REFUSALS = { 409: { description: "`not_hot`: the trace is cold." }, ...DAMAGED };
const DESCRIPTION =
  "Looks through what events name by its hash: bodies sent and answered, recorded pages, attachments; texts of up to " +
  "2 MB, each once. An answer looks at 64 MB or for 1.2 s at most and then says where to look on.";

/** One text in all the bodies of a trace. What the events themselves hold is found by `events.list`. */
export function findRoutes(deps: Deps) {
  return new Elysia({ name: "find" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/:id/find",
      async ({ actor, params, query, request }) =>
        findInBodies(deps, await requireTrace(deps, actor, params.id), query, request.signal),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        query: FindQuery,
        transform: readIntegers("after", "limit"),
        response: { 200: FindAnswer },
        detail: {
          operationId: "find.bodies",
          tags: TAGS,
          summary: "Find a text in the bodies of a trace",
          description: DESCRIPTION,
          responses: REFUSALS,
        },
      },
    )
    .get(
      "/r/:shortId/find",
      async ({ params, query, request }) =>
        findInBodies(deps, await requireShare(deps, request, params.shortId), query, request.signal),
      {
        params: Type.Object({ shortId: Type.String({ maxLength: 40 }) }),
        query: FindQuery,
        transform: readIntegers("after", "limit"),
        response: { 200: FindAnswer },
        detail: {
          operationId: "find.shared",
          tags: TAGS,
          summary: "Find a text in the bodies of a shared trace",
          description: DESCRIPTION,
          responses: REFUSALS,
        },
      },
    );
}
