import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { bytesAnswer } from "../../trace/docs.ts";
import { readIntegers } from "../../trace/query.ts";
import { logStream } from "./logs.ts";
import { ManualRun, RunAnswer, RunList, RunListQuery } from "./model.ts";
import { cancelRun, requireRun, runManually, showRun, showRuns } from "./service.ts";

const TAGS = ["run", "runs"];
const READ = { scope: "runs:read" } as const;
const WRITE = { scope: "runs:write" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });

/** Runs of scenarios: asked for, listed, followed, ended. */
export function runsRoutes(deps: Deps) {
  return new Elysia({ name: "runs" })
    .use(authMacro(deps))
    .post(
      "/v1/runs/manual",
      ({ actor, body, set }) => {
        set.status = 202;
        return runManually(deps, actor, body);
      },
      {
        auth: WRITE,
        body: ManualRun,
        response: { 202: RunAnswer },
        detail: { operationId: "runs.manual", tags: TAGS, summary: "Run a scenario now" },
      },
    )
    .get("/v1/runs", ({ actor, query }) => showRuns(deps, actor, query), {
      auth: READ,
      query: RunListQuery,
      transform: readIntegers("limit"),
      response: { 200: RunList },
      detail: { operationId: "runs.list", tags: TAGS, summary: "List runs, newest first" },
    })
    .get("/v1/runs/:id", ({ actor, params }) => showRun(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: RunAnswer },
      detail: { operationId: "runs.show", tags: TAGS, summary: "One run" },
    })
    .post("/v1/runs/:id/cancel", ({ actor, params }) => cancelRun(deps, actor, params.id), {
      auth: WRITE,
      params: Params,
      response: { 200: RunAnswer },
      detail: { operationId: "runs.cancel", tags: TAGS, summary: "End a run that is queued or under way" },
    })
    .get(
      "/v1/runs/:id/logs",
      async ({ actor, params, query, request, server }) =>
        logStream(deps, await requireRun(deps, actor, params.id), { request, server }, query.after ?? -1),
      {
        auth: READ,
        params: Params,
        query: Type.Object({
          after: Type.Optional(Type.Integer({ minimum: -1, description: "Resumes after this seq." })),
        }),
        transform: readIntegers("after"),
        detail: {
          operationId: "runs.logs",
          tags: TAGS,
          summary: "Follow a run's log as server-sent events",
          responses: {
            200: bytesAnswer(
              "text/event-stream",
              'Messages `data: {"seq":…,"ts":…,"level":…,"message":…,"step_id":…}`.',
            ),
            204: { description: "The run has ended, and nothing is left." },
          },
        },
      },
    );
}
