import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { readJson } from "../../http/body.ts";
import { inDialect } from "../../http/dialect.ts";
import { sseResponse } from "../../http/sse.ts";
import { authMacro } from "../../identity/auth.ts";
import { bytesAnswer } from "../../trace/docs.ts";
import { readIntegers } from "../../trace/query.ts";
import { GateAnswer, GateList, GateListQuery, MAX_GATE_BYTES, NewGate } from "./model.ts";
import { requestGate, rerunGate, servePicture, showGate, showGates, showReport } from "./service.ts";

const TAGS = ["gate", "gates"];
const READ = { scope: "runs:read" } as const;
const WRITE = { scope: "runs:write" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });

/** Verdicts on the head commits of pull requests: asked for, listed, shown. */
export function gatesRoutes(deps: Deps) {
  return new Elysia({ name: "gates", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/gates", ({ actor, query }) => showGates(deps, actor, query), {
      auth: READ,
      query: GateListQuery,
      transform: readIntegers("limit", "pr"),
      response: { 200: GateList },
      detail: { operationId: "gates.list", tags: TAGS, summary: "List gates, newest first" },
    })
    .post(
      "/v1/gates",
      async ({ actor, request, set }) => {
        const gate = await requestGate(deps, actor, await readJson(request, MAX_GATE_BYTES));
        set.status = 202;
        return gate;
      },
      {
        parse: "none",
        auth: WRITE,
        response: { 202: GateAnswer },
        detail: {
          operationId: "gates.create",
          tags: TAGS,
          summary: "Have a commit of a pull request judged",
          description:
            "The scenarios that the change concerns run against the preview of the commit, once each; ask for the gate again to see how it goes. Asked while the same commit is judged, that gate answers; asked later, it is judged anew. `files` and `changed` are what CI has checked out; without them the repository of settings.json is read.",
          requestBody: { required: true, content: { "application/json": { schema: NewGate as object } } },
        },
      },
    )
    .get(
      "/v1/gates/live",
      ({ actor, request, server, stillMay }) =>
        sseResponse(deps, { request, server, stillMay }, async function* (signal) {
          for await (const news of deps.hub.subscribe("gates", actor.orgId, signal))
            yield JSON.stringify(news);
        }),
      {
        auth: READ,
        detail: {
          operationId: "gates.live",
          tags: TAGS,
          summary: "Follow changes of gates and pull requests as server-sent events",
          responses: {
            200: bytesAnswer("text/event-stream", 'Messages `data: {"type":"gate.changed","id":…}`.'),
          },
        },
      },
    )
    .get("/v1/gates/:id", ({ actor, params }) => showGate(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: GateAnswer },
      detail: { operationId: "gates.show", tags: TAGS, summary: "One gate with its scenarios" },
    })
    .get(
      "/v1/gates/:id/report",
      async ({ actor, params }) =>
        new Response(await showReport(deps, actor, params.id), {
          headers: { "content-type": "text/markdown; charset=utf-8" },
        }),
      {
        auth: READ,
        params: Params,
        detail: {
          operationId: "gates.report",
          tags: TAGS,
          summary: "One gate as Markdown, as the pull request's comment has it",
          responses: { 200: bytesAnswer("text/markdown", "CommonMark; what pages said is escaped.") },
        },
      },
    )
    .post(
      "/v1/gates/:id/rerun",
      async ({ actor, params, set }) => {
        const gate = await rerunGate(deps, actor, params.id);
        set.status = 202;
        return gate;
      },
      {
        auth: WRITE,
        params: Params,
        response: { 202: GateAnswer },
        detail: {
          operationId: "gates.rerun",
          tags: TAGS,
          summary: "Judge the same commit once more",
          responses: { 409: { description: "`conflict`: it is being judged, or it is no head any more." } },
        },
      },
    )
    .get("/v1/gate/picture", ({ request, query }) => servePicture(deps, request, query.token), {
      query: Type.Object({ token: Type.String({ minLength: 1, maxLength: 4000 }) }),
      detail: {
        operationId: "gates.picture",
        tags: TAGS,
        security: [],
        summary: "What a page looked like when its scenario failed, behind a signed link",
        ...inDialect("trace"),
        responses: {
          200: bytesAnswer("image/*", "The picture."),
          403: { description: "`signature_invalid`: the link was altered or has expired." },
        },
      },
    });
}
