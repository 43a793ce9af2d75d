import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { Delivery, DeliveryList, DeliveryListQuery, DeliveryParams } from "./model.ts";
import { replayDelivery, showDeliveries } from "./service.ts";

const TAGS = ["watch", "deliveries"];

/** What was told over notification channels, and what waits to be. */
export function deliveriesRoutes(deps: Deps) {
  return new Elysia({ name: "deliveries", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/webhook-deliveries", ({ actor, query }) => showDeliveries(deps, actor, query), {
      auth: { scope: "webhooks:manage" },
      query: DeliveryListQuery,
      response: { 200: DeliveryList },
      detail: {
        operationId: "deliveries.list",
        tags: TAGS,
        summary: "List notifications with what came of them, newest first",
      },
    })
    .post(
      "/v1/webhook-deliveries/:id/replay",
      async ({ actor, params, set }) => {
        set.status = 202;
        return replayDelivery(deps, actor, params.id);
      },
      {
        auth: { scope: "webhooks:manage" },
        params: DeliveryParams,
        response: { 202: Delivery },
        detail: {
          operationId: "deliveries.replay",
          tags: TAGS,
          summary: "Send a notification again that has arrived or was given up",
        },
      },
    );
}
