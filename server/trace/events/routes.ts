import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { bytesAnswer, DAMAGED, jsonAnswer, jsonText, SHARE_REFUSALS } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { EventPageAnswer, EventsQuery, StreamQuery } from "./model.ts";
import { eventPage } from "./service.ts";
import { eventStream } from "./stream.ts";

const REFUSALS = { 409: { description: "The trace is cold: restore it first." }, ...DAMAGED };
const LIST_DETAILS = {
  member: {
    operationId: "events.list",
    tags: ["trace", "events"],
    summary: "A page of a trace's events",
    responses: {
      200: jsonAnswer(EventPageAnswer, "Events as they were stored, in the order of seq."),
      ...REFUSALS,
    },
  },
  share: {
    operationId: "share.events",
    tags: ["trace", "share"],
    summary: "A page of a shared trace's events",
    responses: { 200: jsonAnswer(EventPageAnswer, "Events as they were stored."), ...SHARE_REFUSALS },
  },
};

const FOLLOWED = {
  200: bytesAnswer("text/event-stream", "Messages `data: <event>`; a heartbeat every 15 s."),
  204: { description: "The trace is finished and nothing is left." },
};
const STREAM_DETAILS = {
  member: {
    operationId: "events.stream",
    tags: ["trace", "events"],
    summary: "A trace's events as server-sent events, stored ones first",
    responses: { ...FOLLOWED, ...REFUSALS },
  },
  share: {
    operationId: "share.stream",
    tags: ["trace", "share"],
    summary: "A shared trace's events as server-sent events",
    responses: { ...FOLLOWED, ...SHARE_REFUSALS },
  },
};

/** The events of a trace: any page of them, or all as they come. */
export function eventsReads(deps: Deps, access: TraceAccess) {
  return new Elysia()
    .use(authMacro(deps))
    .get(
      "/events",
      async ({ actor, params, query, request, set }) =>
        jsonText(
          set,
          await eventPage(deps, await access.open({ actor, params, request }), query, request.signal),
        ),
      {
        auth: access.auth,
        params: Type.Object(access.params),
        query: EventsQuery,
        transform: readIntegers("limit", "offset", "from_seq"),
        detail: LIST_DETAILS[access.kind],
      },
    )
    .get(
      "/stream",
      async ({ actor, params, query, request, server, stillMay }) => {
        const call = { actor, params, request };
        const trace = await access.open(call);
        return eventStream(deps, trace, { request, server, stillMay }, query.after, access.whileOpen(call));
      },
      {
        auth: access.auth,
        params: Type.Object(access.params),
        query: StreamQuery,
        transform: readIntegers("after"),
        detail: STREAM_DETAILS[access.kind],
      },
    );
}
