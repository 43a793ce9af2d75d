import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { DAMAGED } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { requireShare } from "../share/service.ts";
import { FindAnswer, FindQuery } from "./model.ts";
import { findInBodies } from "./service.ts";

const TAGS = ["trace", "find"];
const REFUSALS = { 409: { description: "`not_hot`: the trace is cold." }, ...DAMAGED };
const DESCRIPTION =
  "Looks through the pages of the trace's Playwright archive (texts and attributes, once per frame for as long as they " +
  "stay) and through what events name by its hash: bodies sent and answered, pages, attachments; of each the first 64 MB, " +
  "once. An answer looks at 64 MB or for 1.2 s and then says where to look on.";

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
        transform: readIntegers("limit"),
        response: { 200: FindAnswer },
        detail: {
          operationId: "find.bodies",
          tags: TAGS,
          summary: "Find a text in the recorded pages and bodies of a trace",
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
        transform: readIntegers("limit"),
        response: { 200: FindAnswer },
        detail: {
          operationId: "find.shared",
          tags: TAGS,
          summary: "Find a text in the recorded pages and bodies of a shared trace",
          description: DESCRIPTION,
          responses: REFUSALS,
        },
      },
    );
}
