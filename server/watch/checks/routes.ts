import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { readIntegers } from "../../trace/query.ts";
import {
  CheckAnswer,
  CheckList,
  CheckListQuery,
  CheckUpdate,
  Fires,
  FiresQuery,
  NewCheck,
  Pause,
} from "./model.ts";
import {
  createCheck,
  deleteCheck,
  pauseCheck,
  showCheck,
  showChecks,
  showFires,
  updateCheck,
} from "./service.ts";

const TAGS = ["watch", "checks"];
const READ = { scope: ["runs:read", "scheduled_checks:manage"] } as const;
const MANAGE = { scope: "scheduled_checks:manage" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });
const REFUSED = {
  422: {
    description:
      "`cron_invalid`, `cron_too_frequent`: the schedule; `preflight_required`: POST /v1/scenarios/{id}/preflight comes first; `validation_failed`: a field, a region outside the plan, or a scenario without an address.",
  },
};

/** Scenarios that run by the clock. */
export function checksRoutes(deps: Deps) {
  return new Elysia({ name: "checks", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .post("/v1/scheduled_checks", ({ actor, body }) => createCheck(deps, actor, body), {
      auth: MANAGE,
      body: NewCheck,
      response: { 200: CheckAnswer },
      detail: {
        operationId: "checks.create",
        tags: TAGS,
        summary: "Run a scenario by the clock",
        description: "Each fire is one run per region. The scenario needs a recorded preflight.",
        responses: REFUSED,
      },
    })
    .get("/v1/scheduled_checks", ({ actor, query }) => showChecks(deps, actor, query), {
      auth: READ,
      query: CheckListQuery,
      transform: readIntegers("limit"),
      response: { 200: CheckList },
      detail: { operationId: "checks.list", tags: TAGS, summary: "List scheduled checks, newest first" },
    })
    .get("/v1/scheduled_checks/fires", ({ query }) => showFires(deps, query), {
      auth: READ,
      query: FiresQuery,
      transform: readIntegers("count"),
      response: { 200: Fires },
      detail: {
        operationId: "checks.fires",
        tags: TAGS,
        summary: "When a schedule fires next, and where clocks change on the way",
        description: "Of any schedule that a check may have, before it is saved.",
        responses: { 422: { description: "`cron_invalid`, `cron_too_frequent`, `validation_failed`." } },
      },
    })
    .get("/v1/scheduled_checks/:id", ({ actor, params }) => showCheck(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: CheckAnswer },
      detail: { operationId: "checks.show", tags: TAGS, summary: "One scheduled check" },
    })
    .put("/v1/scheduled_checks/:id", ({ actor, params, body }) => updateCheck(deps, actor, params.id, body), {
      auth: MANAGE,
      params: Params,
      body: CheckUpdate,
      response: { 200: CheckAnswer },
      detail: {
        operationId: "checks.update",
        tags: TAGS,
        summary: "Change a scheduled check, or switch it on or off",
        responses: REFUSED,
      },
    })
    .delete(
      "/v1/scheduled_checks/:id",
      async ({ actor, params, set }) => {
        await deleteCheck(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: MANAGE,
        params: Params,
        detail: {
          operationId: "checks.delete",
          tags: TAGS,
          summary: "Remove a scheduled check; its runs stay",
          responses: { 204: { description: "The check is gone." } },
        },
      },
    )
    .post(
      "/v1/scheduled_checks/:id/pause",
      ({ actor, params, body }) => pauseCheck(deps, actor, params.id, body),
      {
        auth: MANAGE,
        params: Params,
        body: Pause,
        response: { 200: CheckAnswer },
        detail: {
          operationId: "checks.pause",
          tags: TAGS,
          summary: "Pause a scheduled check for some hours, or resume it",
          description:
            "The pause ends by itself. A run that is under way ends as it would, and is not told. `hours: 0` resumes.",
        },
      },
    );
}
