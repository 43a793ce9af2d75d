import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { DAMAGED } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { FindAnswer, FindQuery } from "./model.ts";
import { findInBodies } from "./service.ts";

const TAGS = ["trace", "find"];
const DETAILS = {
  member: {
    operationId: "find.bodies",
    tags: TAGS,
    summary: "Find a text in the recorded pages and bodies of a trace",
  },
  share: {
    operationId: "find.shared",
    tags: TAGS,
    summary: "Find a text in the recorded pages and bodies of a shared trace",
  },
};

/** One text in all the bodies of a trace. What the events themselves hold is found by `events.list`. */
export function findReads(deps: Deps, access: TraceAccess) {
  return new Elysia()
    .use(authMacro(deps))
    .get(
      "/find",
      async ({ actor, params, query, request }) =>
        findInBodies(deps, await access.open({ actor, params, request }), query, request.signal),
      {
        auth: access.auth,
        params: Type.Object(access.params),
        query: FindQuery,
        transform: readIntegers("limit"),
        response: { 200: FindAnswer },
        detail: {
          ...DETAILS[access.kind],
          description:
            "Looks through the pages of the trace's Playwright archive (texts and attributes, once per frame for as long as they " +
            "stay) and through what events name by its hash: bodies sent and answered, pages, attachments; of each the first 64 MB, " +
            "once. An answer looks at 64 MB or for 1.2 s and then says where to look on.",
          responses: { 409: { description: "`not_hot`: the trace is cold." }, ...DAMAGED },
        },
      },
    );
}
