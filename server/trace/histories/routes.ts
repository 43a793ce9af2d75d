import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { jsonAnswer, jsonText } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { History, HistoryList, HistoryListQuery, HistoryParams, HistoryQuery } from "./model.ts";
import { listHistories, showHistory } from "./service.ts";

const TAGS = ["trace", "histories"];
const READ = { scope: "traces:read" } as const;

/** How scenarios fared: their last traces, how flaky they are, and where they broke. */
export function historiesRoutes(deps: Deps) {
  return new Elysia({ name: "histories" })
    .use(authMacro(deps))
    .get(
      "/v1/histories",
      async ({ actor, query, set }) => jsonText(set, JSON.stringify(await listHistories(deps, actor, query))),
      {
        auth: READ,
        query: HistoryListQuery,
        transform: readIntegers("limit"),
        detail: {
          operationId: "histories.list",
          tags: TAGS,
          summary: "The scenarios that ran, latest first, each with its last traces",
          responses: { 200: jsonAnswer(HistoryList, "One page of scenarios.") },
        },
      },
    )
    .get(
      "/v1/histories/:scenario",
      async ({ actor, params, query, set }) =>
        jsonText(set, JSON.stringify(await showHistory(deps, actor, params.scenario, query))),
      {
        auth: READ,
        params: HistoryParams,
        query: HistoryQuery,
        transform: readIntegers("limit"),
        detail: {
          operationId: "histories.show",
          tags: TAGS,
          summary: "The last traces of a scenario: pass rate, flakiness, durations, first failing commit",
          responses: { 200: jsonAnswer(History, "The scenario's history.") },
        },
      },
    );
}
