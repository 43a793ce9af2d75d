import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { readIdempotencyKey } from "../../http/idempotency-key.ts";
import { sseResponse } from "../../http/sse.ts";
import { authMacro } from "../../identity/auth.ts";
import { bytesAnswer, jsonAnswer, jsonText } from "../docs.ts";
import { readIntegers } from "../query.ts";
import { beginTestRun } from "./begin.ts";
import { endTestRun } from "./end.ts";
import { createReportService } from "./ingest.ts";
import {
  BegunTestRun,
  CauseList,
  EndBody,
  IngestedReport,
  NewTestRun,
  ResultsAnswer,
  ResultsBody,
  TestList,
  TestListQuery,
  TestRun,
  TestRunList,
  TestRunListQuery,
} from "./model.ts";
import { takeResults } from "./results.ts";
import { showCauses, showTestRun, showTestRuns, showTests } from "./service.ts";

const TAGS = ["trace", "test-runs"];
const READ = { scope: "traces:read" } as const;
const WRITE = { scope: "traces:write" } as const;
const Params = Type.Object({
  id: Type.String({ maxLength: 36, description: "Id or short id of a test run." }),
});
const NO_TRACE = { 404: { description: "The run, or a trace that is named, does not exist." } };

const REPORT_BODY = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        required: ["report"],
        properties: {
          report: {
            type: "string" as const,
            format: "binary",
            description: "A Playwright blob report (zip), a Playwright JSON report, or a JUnit XML file.",
          },
          name: { type: "string" as const, maxLength: 200 },
          ci: { type: "string" as const, description: "A JSON object: `provider`, `run_id`, `url`." },
          branch: { type: "string" as const },
          commit_sha: { type: "string" as const },
          is_dirty: { type: "boolean" as const },
          pr_number: { type: "integer" as const, minimum: 1 },
          shard: { type: "string" as const, description: "A JSON object: `index`, `total`." },
          started_at: { type: "string" as const, format: "date-time" },
        },
      },
    },
  },
};

/** Runs of a test suite, their shards together, and the tests in them. */
export function testRunsRoutes(deps: Deps) {
  const reports = createReportService(deps);
  return new Elysia({ name: "test-runs" })
    .use(authMacro(deps))
    .get(
      "/v1/test-runs",
      async ({ actor, query, set }) => jsonText(set, JSON.stringify(await showTestRuns(deps, actor, query))),
      {
        auth: READ,
        query: TestRunListQuery,
        transform: readIntegers("limit", "pr"),
        detail: {
          operationId: "test-runs.list",
          tags: TAGS,
          summary: "List test runs, the one that began last first",
          responses: { 200: jsonAnswer(TestRunList, "One page of test runs.") },
        },
      },
    )
    .post(
      "/v1/test-runs",
      async ({ actor, body, request, set }) => {
        const idempotencyKey = readIdempotencyKey(request.headers);
        const { isNew, ...run } = await beginTestRun(deps, actor, body, { idempotencyKey });
        set.status = isNew ? 201 : 200;
        return { ...run, url: `${publicOriginOf(request, deps.config)}/test-runs/${run.short_id}` };
      },
      {
        auth: WRITE,
        body: NewTestRun,
        response: { 200: BegunTestRun, 201: BegunTestRun },
        detail: {
          operationId: "test-runs.begin",
          tags: TAGS,
          summary: "Begin a test run, or join the one of the same CI run",
          description:
            "The same `ci.run_id` and `name` within 24 hours is the same run: it is answered with 200. An `Idempotency-Key` keeps a repeated request without `ci` from making a second run.",
        },
      },
    )
    .post(
      "/v1/test-runs/ingest",
      ({ actor, request, server }) => {
        // A slow client may be quiet for longer than the idle timeout; the service bounds its rate instead.
        server?.timeout(request, 0);
        return reports.upload(actor, request);
      },
      {
        parse: "none",
        // One may bring thousands of traces.
        auth: { ...WRITE, limit: "ingest" },
        response: { 200: IngestedReport },
        detail: {
          operationId: "test-runs.ingest",
          tags: TAGS,
          summary: "Make a test run from a report file, with the traces in it",
          description:
            "What stands beside the file wins over what it says. The same file within 24 hours is the same run, with the same traces.",
          requestBody: REPORT_BODY,
          responses: {
            400: {
              description:
                "`invalid_request`; `bundle_unreadable`: the file is no report; `bundle_bomb`: it unpacks to too much, or tells of too many attempts.",
            },
            408: { description: "`invalid_request`: the upload stalled and was given up." },
            413: { description: "`bundle_too_large`: the file is larger than the plan's upload cap." },
            415: { description: "`unsupported_media_type`: the body is not multipart/form-data." },
          },
        },
      },
    )
    .get(
      "/v1/test-runs/live",
      ({ actor, request, server, stillMay }) =>
        sseResponse(deps, { request, server, stillMay }, async function* (signal) {
          for await (const news of deps.hub.subscribe("test-runs", actor.orgId, signal))
            yield JSON.stringify(news);
        }),
      {
        auth: READ,
        detail: {
          operationId: "test-runs.live",
          tags: TAGS,
          summary: "Follow changes of test runs as server-sent events",
          responses: {
            200: bytesAnswer("text/event-stream", 'Messages `data: {"type":"test-run.changed","id":…}`.'),
          },
        },
      },
    )
    .get("/v1/test-runs/:id", ({ actor, params }) => showTestRun(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: TestRun },
      detail: { operationId: "test-runs.show", tags: TAGS, summary: "One test run" },
    })
    .get(
      "/v1/test-runs/:id/tests",
      async ({ actor, params, query, set }) =>
        jsonText(set, JSON.stringify(await showTests(deps, actor, params.id, query))),
      {
        auth: READ,
        params: Params,
        query: TestListQuery,
        transform: readIntegers("limit"),
        detail: {
          operationId: "test-runs.tests",
          tags: TAGS,
          summary: "The tests of a run with their attempts, by file and line",
          responses: { 200: jsonAnswer(TestList, "One page of tests.") },
        },
      },
    )
    .get("/v1/test-runs/:id/causes", ({ actor, params }) => showCauses(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: CauseList },
      detail: {
        operationId: "test-runs.causes",
        tags: TAGS,
        summary: "The failed tests of a run, grouped by what made them fail",
      },
    })
    .post(
      "/v1/test-runs/:id/results",
      ({ actor, params, body }) => takeResults(deps, actor, params.id, body.results),
      {
        auth: WRITE,
        params: Params,
        body: ResultsBody,
        response: { 200: ResultsAnswer },
        detail: {
          operationId: "test-runs.take_results",
          tags: TAGS,
          summary: "Tell of attempts of tests, all or none; one that is known is written again",
          responses: NO_TRACE,
        },
      },
    )
    .post(
      "/v1/test-runs/:id/end",
      async ({ actor, params, body }) => {
        await endTestRun(deps, actor, params.id, body);
        return showTestRun(deps, actor, params.id);
      },
      {
        auth: WRITE,
        params: Params,
        body: EndBody,
        response: { 200: TestRun },
        detail: {
          operationId: "test-runs.end",
          tags: TAGS,
          summary: "End a test run or one of its shards; repeating it changes nothing",
        },
      },
    );
}
