import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { originOf } from "../../http/guard.ts";
import { sseResponse } from "../../http/sse.ts";
import { authMacro } from "../../identity/auth.ts";
import { bytesAnswer } from "../../trace/docs.ts";
import { oneOf } from "../../trace/model.ts";
import { readIntegers } from "../../trace/query.ts";
import { GENERATED_NAMES, runArtifact, runArtifacts, serveGenerated } from "./artifacts.ts";
import { liveStream } from "./live.ts";
import { logStream } from "./logs.ts";
import {
  ManualRun,
  RegionList,
  RUN_ARTIFACT_KINDS,
  RunAnswer,
  RunArtifact,
  RunArtifactList,
  RunList,
  RunListQuery,
  RunSteps,
} from "./model.ts";
import { pictureStream } from "./pictures.ts";
import {
  cancelRun,
  requireRun,
  runManually,
  showRegions,
  showRun,
  showRunSteps,
  showRuns,
} from "./service.ts";

const TAGS = ["run", "runs"];
const READ = { scope: "runs:read" } as const;
const WRITE = { scope: "runs:write" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });

/** Runs of scenarios: asked for, listed, followed, ended. */
export function runsRoutes(deps: Deps) {
  return new Elysia({ name: "runs", detail: inDialect("monitoring") })
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
    .get(
      "/v1/runs/live",
      ({ actor, request, server, stillMay }) =>
        sseResponse(deps, { request, server, stillMay }, async function* (signal) {
          for await (const news of deps.hub.subscribe("runs", actor.orgId, signal))
            yield JSON.stringify(news);
        }),
      {
        auth: READ,
        detail: {
          operationId: "runs.live",
          tags: TAGS,
          summary: "Follow changes of the list as server-sent events",
          responses: {
            200: bytesAnswer("text/event-stream", 'Messages `data: {"type":"run.changed","id":…}`.'),
          },
        },
      },
    )
    .get("/v1/runs/regions", () => showRegions(deps), {
      auth: READ,
      response: { 200: RegionList },
      detail: { operationId: "runs.regions", tags: TAGS, summary: "The regions that a run may name" },
    })
    .get("/v1/runs/:id", ({ actor, params }) => showRun(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: RunAnswer },
      detail: { operationId: "runs.show", tags: TAGS, summary: "One run" },
    })
    .get("/v1/runs/:id/steps", ({ actor, params }) => showRunSteps(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: RunSteps },
      detail: { operationId: "runs.steps", tags: TAGS, summary: "The steps that a run goes through" },
    })
    .post("/v1/runs/:id/cancel", ({ actor, params }) => cancelRun(deps, actor, params.id), {
      auth: WRITE,
      params: Params,
      response: { 200: RunAnswer },
      detail: { operationId: "runs.cancel", tags: TAGS, summary: "End a run that is queued or under way" },
    })
    .get(
      "/v1/runs/:id/logs",
      async ({ actor, params, query, request, server, stillMay }) =>
        logStream(
          deps,
          await requireRun(deps, actor, params.id),
          { request, server, stillMay },
          query.after ?? -1,
        ),
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
    )
    .get(
      "/v1/runs/:id/live",
      async ({ actor, params, query, request, server, stillMay }) =>
        liveStream(
          deps,
          await requireRun(deps, actor, params.id),
          { request, server, stillMay },
          { line: query.after_line ?? -1, picture: query.after_picture ?? -1 },
        ),
      {
        auth: READ,
        params: Params,
        query: Type.Object({
          after_line: Type.Optional(
            Type.Integer({ minimum: -1, description: "Only lines of the log after this seq." }),
          ),
          after_picture: Type.Optional(
            Type.Integer({ minimum: -1, description: "Only pictures after this seq." }),
          ),
        }),
        transform: readIntegers("after_line", "after_picture"),
        detail: {
          operationId: "runs.follow",
          tags: TAGS,
          summary: "Follow a run, its log and its page over one connection as server-sent events",
          description:
            "Lines and pictures are those of `/logs` and `/pictures`. A run whose trace is cold has no pictures here.",
          responses: {
            200: bytesAnswer(
              "text/event-stream",
              'Messages `data: {"type":"run.changed","id":…}`, `data: {"type":"line","line":{…}}` and `data: {"type":"picture","picture":{…}}`.',
            ),
            204: { description: "The run has ended, and nothing is left." },
          },
        },
      },
    )
    .get(
      "/v1/runs/:id/pictures",
      async ({ actor, params, query, request, server, stillMay }) =>
        pictureStream(
          deps,
          await requireRun(deps, actor, params.id),
          { request, server, stillMay },
          query.after ?? -1,
        ),
      {
        auth: READ,
        params: Params,
        query: Type.Object({
          after: Type.Optional(Type.Integer({ minimum: -1, description: "Only pictures after this seq." })),
        }),
        transform: readIntegers("after"),
        detail: {
          operationId: "runs.pictures",
          tags: TAGS,
          summary: "Follow what a run's page looks like as server-sent events",
          description:
            "The newest picture, then each newer one as it comes; whoever reads slowly gets fewer of them. The bytes lie at `url`.",
          responses: {
            200: bytesAnswer("text/event-stream", 'Messages `data: {"seq":…,"ts":…,"url":…}`.'),
            204: { description: "The run has ended, and there is no picture after that one." },
            409: { description: "`not_hot`: the trace is cold: restore it first." },
          },
        },
      },
    )
    .get(
      "/v1/runs/:id/artifacts",
      async ({ actor, params, request }) => ({
        items: await runArtifacts(
          deps,
          await requireRun(deps, actor, params.id),
          originOf(request, deps.config),
        ),
      }),
      {
        auth: READ,
        params: Params,
        response: { 200: RunArtifactList },
        detail: { operationId: "runs.artifacts", tags: TAGS, summary: "Links to the files that a run has" },
      },
    )
    .get(
      "/v1/runs/:id/artifacts/:kind",
      async ({ actor, params, request }) =>
        runArtifact(
          deps,
          await requireRun(deps, actor, params.id),
          params.kind,
          originOf(request, deps.config),
        ),
      {
        auth: READ,
        params: Type.Composite([Params, Type.Object({ kind: oneOf(RUN_ARTIFACT_KINDS) })]),
        response: { 200: RunArtifact },
        detail: {
          operationId: "runs.artifact",
          tags: TAGS,
          summary: "A link to a file of a run",
          description:
            "`trace` is the Playwright archive where one was recorded, else the events (zstd NDJSON). 404 names the kind that the run has none of; 409 `not_hot` when its trace lies in cold storage.",
        },
      },
    )
    .get("/run-files/:id/:name", ({ params, request }) => serveGenerated(deps, request, params), {
      params: Type.Composite([Params, Type.Object({ name: oneOf(GENERATED_NAMES) })]),
      detail: {
        operationId: "runs.file",
        tags: TAGS,
        summary: "A file of a run that is made on request, behind a signed link",
        ...inDialect("trace"),
        responses: {
          200: bytesAnswer("*/*", "The requests as HAR 1.2, the report as CommonMark, or the log as text."),
          403: { description: "`signature_invalid`: the link was altered or has expired." },
          409: { description: "`not_hot`: the trace is cold: restore it first." },
        },
      },
    });
}
