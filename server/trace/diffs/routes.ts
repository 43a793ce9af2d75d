import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { jsonAnswer, jsonText } from "../docs.ts";
import { DiffAnswer, DiffQuery } from "./model.ts";
import { createDiffs } from "./service.ts";

/** Two traces side by side. */
export function diffsRoutes(deps: Deps) {
  const diffs = createDiffs(deps);
  return new Elysia({ name: "diffs" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/diff",
      async ({ actor, query, request, set }) => jsonText(set, await diffs.show(actor, query, request.signal)),
      {
        auth: { scope: "traces:read" },
        query: DiffQuery,
        detail: {
          operationId: "diffs.show",
          tags: ["trace", "diffs"],
          summary: "Compare two traces, in all dimensions or in one",
          description:
            "Ids, times, ports, hashes and the values of queries are replaced before anything is compared. Steps (actions and assertions) are aligned (Myers); everything else is placed by them. network: requests by method and address, with status, error and JSON bodies. dom: the pages that both have at the end of the same step (100 around the first step that differs) and recorded mutations. clone: the simulated world, which is state of clones, moves of the clock and injected faults. console: lines, however often they repeat.",
          responses: {
            200: jsonAnswer(DiffAnswer, "What differs, first of all where it begins."),
            404: { description: "One of the traces does not exist." },
            409: { description: "One of the traces is cold." },
          },
        },
      },
    );
}
