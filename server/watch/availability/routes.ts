import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { Availability, AvailabilityQuery, SloAnswer } from "./model.ts";
import { showAvailability, showSlo } from "./service.ts";

const TAGS = ["watch", "availability"];
const READ = { scope: ["runs:read", "scheduled_checks:manage"] } as const;
const Params = Type.Object({ id: Type.String({ format: "uuid" }) });

/** How scheduled checks fared over days and months. */
export function availabilityRoutes(deps: Deps) {
  return new Elysia({ name: "availability", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get(
      "/v1/scheduled_checks/:id/availability",
      ({ actor, params, query }) => showAvailability(deps, actor, params.id, query),
      {
        auth: READ,
        params: Params,
        query: AvailabilityQuery,
        response: { 200: Availability },
        detail: {
          operationId: "availability.show",
          tags: TAGS,
          summary: "How long a check was up, and how long its runs took",
          description:
            "By time in state: from the end of a run until the next one's, its result holds. Maintenance, pauses and times without data are neither up nor down, and are told.",
        },
      },
    )
    .get("/v1/scheduled_checks/:id/slo", ({ actor, params }) => showSlo(deps, actor, params.id), {
      auth: READ,
      params: Params,
      response: { 200: SloAnswer },
      detail: {
        operationId: "availability.slo",
        tags: TAGS,
        summary: "What is left of a check's error budget, and how fast it goes",
        description:
          "Over the rolling window of the check's `slo`. Where the check has none, the answer is 404.",
      },
    });
}
