import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { sseResponse } from "../../http/sse.ts";
import { authMacro } from "../../identity/auth.ts";
import { bytesAnswer } from "../../trace/docs.ts";
import { readIntegers } from "../../trace/query.ts";
import { explainIncident } from "./explain.ts";
import {
  Explanation,
  IncidentAnswer,
  IncidentList,
  IncidentListQuery,
  IncidentParams,
  Preview,
  PreviewRequest,
  Suppression,
} from "./model.ts";
import { previewPolicy } from "./preview.ts";
import { acknowledgeIncident, showIncident, showIncidents, suppressIncident } from "./service.ts";

const TAGS = ["watch", "incidents"];
const READ = { scope: "incidents:read" } as const;
const WRITE = { scope: "incidents:write" } as const;
const REFUSED = { 409: { description: "`invalid_transition`: the incident's status does not allow it." } };

/** Incidents, what people do to them, and what alert policies would have made of the past. */
export function incidentsRoutes(deps: Deps) {
  return new Elysia({ name: "incidents", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/incidents", ({ actor, query }) => showIncidents(deps, actor, query), {
      auth: READ,
      query: IncidentListQuery,
      transform: readIntegers("limit"),
      response: { 200: IncidentList },
      detail: { operationId: "incidents.list", tags: TAGS, summary: "List incidents, newest first" },
    })
    .get(
      "/v1/incidents/live",
      ({ actor, request, server, stillMay }) =>
        sseResponse(deps, { request, server, stillMay }, async function* (signal) {
          for await (const news of deps.hub.subscribe("incidents", actor.orgId, signal))
            yield JSON.stringify(news);
        }),
      {
        auth: READ,
        detail: {
          operationId: "incidents.live",
          tags: TAGS,
          summary: "Follow changes of the list as server-sent events",
          responses: {
            200: bytesAnswer("text/event-stream", 'Messages `data: {"type":"incident.changed","id":…}`.'),
          },
        },
      },
    )
    .get("/v1/incidents/:id", ({ actor, params }) => showIncident(deps, actor, params.id), {
      auth: READ,
      params: IncidentParams,
      response: { 200: IncidentAnswer },
      detail: { operationId: "incidents.show", tags: TAGS, summary: "One incident with its timeline" },
    })
    .get("/v1/incidents/:id/explain", ({ actor, params }) => explainIncident(deps, actor, params.id), {
      auth: READ,
      params: IncidentParams,
      response: { 200: Explanation },
      detail: {
        operationId: "incidents.explain",
        tags: TAGS,
        summary: "Why an incident opened, and why each notice of it was told or not",
        description:
          "From what was written down when it was decided: the rule, its results, the policy of then.",
      },
    })
    .post("/v1/incidents/:id/ack", ({ actor, params }) => acknowledgeIncident(deps, actor, params.id), {
      auth: WRITE,
      params: IncidentParams,
      response: { 200: IncidentAnswer },
      detail: {
        operationId: "incidents.acknowledge",
        tags: TAGS,
        summary: "Say that somebody looks at an incident",
        description: "Two successes in a row still end it. Doing it again changes nothing.",
        responses: REFUSED,
      },
    })
    .post(
      "/v1/incidents/:id/suppress",
      ({ actor, params, body }) => suppressIncident(deps, actor, params.id, body),
      {
        auth: WRITE,
        params: IncidentParams,
        body: Suppression,
        response: { 200: IncidentAnswer },
        detail: {
          operationId: "incidents.suppress",
          tags: TAGS,
          summary: "Keep an incident silent for a while",
          description:
            "For `duration_seconds` or `until` a time, at most 30 days. When it still fails after that it opens again and is told once. Doing it again replaces the end and the reason.",
          responses: REFUSED,
        },
      },
    )
    .post("/v1/alert-policies/preview", ({ actor, body }) => previewPolicy(deps, actor, body), {
      auth: READ,
      body: PreviewRequest,
      response: { 200: Preview },
      detail: {
        operationId: "incidents.preview",
        tags: TAGS,
        summary: "What an alert policy would have opened over the last 30 days",
        description:
          "The engine that decides live, on the results that were kept: of each run its final attempt, as many as the policy of then made. Pauses and maintenance are not looked at.",
      },
    });
}
