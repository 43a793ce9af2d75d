import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { originOf } from "../../http/guard.ts";
import { sseResponse } from "../../http/sse.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { bytesAnswer, jsonAnswer, jsonText } from "../docs.ts";
import {
  oneOf,
  PinAnswer,
  TraceDetail,
  TraceFacets,
  TraceFilterQuery,
  TraceList,
  TraceListQuery,
} from "../model.ts";
import { readIntegers } from "../query.ts";
import { showFacets, showTraces } from "./list.ts";
import { removeTrace, setPinned, showTrace } from "./service.ts";

const TAGS = ["trace", "traces"];
const READ = { scope: "traces:read" } as const;
const INTEGER_FILTERS = ["pr", "min_duration_ms", "max_duration_ms", "min_size", "max_size"] as const;
const WRITE = { scope: "traces:write" } as const;

/** The traces of the org: list, one of them, its pin and its end. */
export function tracesRoutes(deps: Deps) {
  return new Elysia({ name: "traces" })
    .use(authMacro(deps))
    .get(
      "/v1/traces",
      async ({ actor, query, set }) => jsonText(set, JSON.stringify(await showTraces(deps, actor, query))),
      {
        auth: READ,
        query: TraceListQuery,
        transform: readIntegers("limit", ...INTEGER_FILTERS),
        detail: {
          operationId: "traces.list",
          tags: TAGS,
          summary: "List and search traces, newest first",
          description:
            "Durations and sizes are asked of at most 10,000 traces per page: such a page may be short or empty and " +
            "still have a next_cursor. step and kind know traces as soon as they are processed.",
          responses: { 200: jsonAnswer(TraceList, "One page of traces.") },
        },
      },
    )
    .get("/v1/traces/facets", ({ actor, query }) => showFacets(deps, actor, query), {
      auth: READ,
      query: TraceFilterQuery,
      transform: readIntegers(...INTEGER_FILTERS),
      response: { 200: TraceFacets },
      detail: {
        operationId: "traces.facets",
        tags: TAGS,
        summary: "Count traces by status, source, tier, scenario and failure",
        description:
          "Each value counts the traces that have it and all else that is asked; its own kind's filter is left out. " +
          "Where text, durations, sizes, or a failure or failures within a period are asked, or a period of more than " +
          "20,000 traces, the newest 2,000 traces are looked at: what may be more is named in partial.",
      },
    })
    .get(
      "/v1/traces/live",
      ({ actor, request, server, stillMay }) =>
        sseResponse(deps, { request, server, stillMay }, async function* (signal) {
          for await (const news of deps.hub.subscribe("traces", actor.orgId, signal))
            yield JSON.stringify(news);
        }),
      {
        auth: READ,
        detail: {
          operationId: "traces.live",
          tags: TAGS,
          summary: "Follow changes of the list as server-sent events",
          responses: {
            200: bytesAnswer(
              "text/event-stream",
              'Messages `data: {"type":"trace.changed","id":…,"status":…}`.',
            ),
          },
        },
      },
    )
    .get(
      "/v1/traces/:id",
      ({ actor, params, request }) => showTrace(deps, actor, params.id, originOf(request, deps.config)),
      {
        auth: READ,
        params: TraceParams,
        response: { 200: TraceDetail },
        detail: {
          operationId: "traces.show",
          tags: TAGS,
          summary: "One trace, with signed links to its files",
        },
      },
    )
    .delete(
      "/v1/traces/:id",
      async ({ actor, params, query, set }) => {
        await removeTrace(deps, actor, params.id, query.force === "1" || query.force === "true");
        set.status = 204;
      },
      {
        auth: WRITE,
        params: TraceParams,
        query: Type.Object({
          force: Type.Optional(oneOf(["0", "1", "false", "true"])),
        }),
        detail: {
          operationId: "traces.remove",
          tags: TAGS,
          summary: "Remove a trace with its files",
          responses: { 204: { description: "It is gone." }, 409: { description: "The trace is pinned." } },
        },
      },
    )
    .post("/v1/traces/:id/pin", ({ actor, params }) => setPinned(deps, actor, params.id, true), {
      auth: WRITE,
      params: TraceParams,
      response: { 200: PinAnswer },
      detail: { operationId: "traces.pin", tags: TAGS, summary: "Keep a trace from moving between tiers" },
    })
    .post("/v1/traces/:id/unpin", ({ actor, params }) => setPinned(deps, actor, params.id, false), {
      auth: WRITE,
      params: TraceParams,
      response: { 200: PinAnswer },
      detail: { operationId: "traces.unpin", tags: TAGS, summary: "Let a trace age again" },
    });
}
