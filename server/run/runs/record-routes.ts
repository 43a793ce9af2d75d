import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { RunAnswer } from "./model.ts";
import { beginRun, endRun, progressRun } from "./record.ts";
import { RunBegin, RunBegun, RunEnd, RunProgress } from "./record-model.ts";

const TAGS = ["run", "runs"];
const WRITE = { scope: "runs:write" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });

/** Runs that another process carries out, as `tracedeck run` does: begun, followed and ended from outside. */
export function runRecordRoutes(deps: Deps) {
  return new Elysia({ name: "run records" })
    .use(authMacro(deps))
    .post(
      "/internal/v1/runs",
      ({ actor, body, set }) => {
        set.status = 201;
        return beginRun(deps, actor, body);
      },
      {
        auth: WRITE,
        body: RunBegin,
        response: { 201: RunBegun },
        detail: {
          operationId: "runs.begin",
          tags: TAGS,
          summary: "Note a run that the sender carries out itself",
          description:
            "It is of type `manual`, triggered by `cli`. A run of which nothing is heard is an `error` after two minutes.",
        },
      },
    )
    .post(
      "/internal/v1/runs/:id/progress",
      ({ actor, params, body }) => progressRun(deps, actor, params.id, body),
      {
        auth: WRITE,
        params: Params,
        body: RunProgress,
        response: { 200: RunAnswer },
        detail: {
          operationId: "runs.progress",
          tags: TAGS,
          summary: "Add to a run's log; the answer's status tells when it was cancelled",
        },
      },
    )
    .post("/internal/v1/runs/:id/end", ({ actor, params, body }) => endRun(deps, actor, params.id, body), {
      auth: WRITE,
      params: Params,
      body: RunEnd,
      response: { 200: RunAnswer },
      detail: { operationId: "runs.end", tags: TAGS, summary: "End a run; repeating it changes nothing" },
    });
}
