import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { jsonAnswer, jsonText } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { FailureList, FailureListQuery } from "./model.ts";
import { listFailures } from "./service.ts";

/** What fails: failed traces of a period grouped by their signature. */
export function failuresRoutes(deps: Deps) {
  return new Elysia({ name: "failures" })
    .use(authMacro(deps))
    .get(
      "/v1/failures",
      async ({ actor, query, set }) => jsonText(set, JSON.stringify(await listFailures(deps, actor, query))),
      {
        auth: { scope: "traces:read" },
        query: FailureListQuery,
        transform: readIntegers("limit"),
        detail: {
          operationId: "failures.list",
          tags: ["trace", "failures"],
          summary: "Failures of a period, grouped by signature",
          responses: { 200: jsonAnswer(FailureList, "One page of groups.") },
        },
      },
    );
}
