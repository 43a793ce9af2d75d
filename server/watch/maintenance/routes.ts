import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { MaintenanceAnswer, MaintenanceList, MaintenanceUpdate, NewMaintenance } from "./model.ts";
import {
  createMaintenance,
  deleteMaintenance,
  listMaintenance,
  showMaintenance,
  updateMaintenance,
} from "./service.ts";

const TAGS = ["watch", "maintenance"];
const READ = { scope: ["runs:read", "scheduled_checks:manage"] } as const;
const MANAGE = { scope: "scheduled_checks:manage" } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });

/** Times in which checks run and nothing is told. */
export function maintenanceRoutes(deps: Deps) {
  return new Elysia({ name: "maintenance", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/maintenance-windows", ({ actor }) => listMaintenance(deps, actor), {
      auth: READ,
      response: { 200: MaintenanceList },
      detail: { operationId: "maintenance.list", tags: TAGS, summary: "List maintenance windows" },
    })
    .post("/v1/maintenance-windows", ({ actor, body }) => createMaintenance(deps, actor, body), {
      auth: MANAGE,
      body: NewMaintenance,
      response: { 200: MaintenanceAnswer },
      detail: {
        operationId: "maintenance.create",
        tags: TAGS,
        summary: "Tell nothing for some time, once or again and again",
        description:
          "Runs go on, and what still fails when the window ends is told then. A beginning that clocks of the zone leave out comes at the first moment after the gap, one that comes twice counts once, the first time; from there the window lasts its minutes.",
        responses: { 422: { description: "`cron_invalid`, `validation_failed`." } },
      },
    })
    .get("/v1/maintenance-windows/:id", ({ actor, params }) => showMaintenance(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: MaintenanceAnswer },
      detail: { operationId: "maintenance.show", tags: TAGS, summary: "One maintenance window" },
    })
    .put(
      "/v1/maintenance-windows/:id",
      ({ actor, params, body }) => updateMaintenance(deps, actor, params.id, body),
      {
        auth: MANAGE,
        params: Params,
        body: MaintenanceUpdate,
        response: { 200: MaintenanceAnswer },
        detail: {
          operationId: "maintenance.update",
          tags: TAGS,
          summary: "Change a maintenance window",
          responses: { 422: { description: "`cron_invalid`, `validation_failed`." } },
        },
      },
    )
    .delete(
      "/v1/maintenance-windows/:id",
      async ({ actor, params, set }) => {
        await deleteMaintenance(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: MANAGE,
        params: Params,
        detail: {
          operationId: "maintenance.delete",
          tags: TAGS,
          summary: "Remove a maintenance window",
          responses: { 204: { description: "The window is gone." } },
        },
      },
    );
}
