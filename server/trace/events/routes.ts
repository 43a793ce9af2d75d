import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace, TraceParams } from "../access.ts";
import { bytesAnswer, DAMAGED, jsonAnswer, jsonText } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { EventPageAnswer, EventsQuery, StreamQuery } from "./model.ts";
import { eventPage } from "./service.ts";
import { eventStream } from "./stream.ts";

const TAGS = ["trace", "events"];
const REFUSALS = { 409: { description: "The trace is cold: restore it first." }, ...DAMAGED };

/** The events of a trace: any page of them, or all as they come. */
export function eventsRoutes(deps: Deps) {
  return new Elysia({ name: "events" })
    .use(authMacro(deps))
    .get(
      "/v1/traces/:id/events",
      async ({ actor, params, query, set }) =>
        jsonText(set, await eventPage(deps, await requireTrace(deps, actor, params.id), query)),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        query: EventsQuery,
        transform: readIntegers("limit", "offset", "from_seq"),
        detail: {
          operationId: "events.list",
          tags: TAGS,
          summary: "A page of a trace's events",
          responses: {
            200: jsonAnswer(EventPageAnswer, "Events as they were stored, in the order of seq."),
            ...REFUSALS,
          },
        },
      },
    )
    .get(
      "/v1/traces/:id/stream",
      async ({ actor, params, query, request, server }) =>
        eventStream(deps, await requireTrace(deps, actor, params.id), { request, server }, query.after),
      {
        auth: { scope: "traces:read" },
        params: TraceParams,
        query: StreamQuery,
        transform: readIntegers("after"),
        detail: {
          operationId: "events.stream",
          tags: TAGS,
          summary: "A trace's events as server-sent events, stored ones first",
          responses: {
            200: bytesAnswer("text/event-stream", "Messages `data: <event>`; a heartbeat every 15 s."),
            204: { description: "The trace is finished and nothing is left." },
            ...REFUSALS,
          },
        },
      },
    );
}
