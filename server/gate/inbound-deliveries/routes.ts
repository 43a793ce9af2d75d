import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { InboundDelivery, InboundList, InboundListQuery, InboundParams } from "./model.ts";
import { replayInbound, showInbound } from "./service.ts";

const TAGS = ["gate", "inbound-deliveries"];

/** What a code host told by its webhook, and what came of it. */
export function inboundDeliveriesRoutes(deps: Deps) {
  return new Elysia({ name: "inbound-deliveries", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/inbound-deliveries", ({ actor, query }) => showInbound(deps, actor, query), {
      auth: { scope: "webhooks:manage" },
      query: InboundListQuery,
      response: { 200: InboundList },
      detail: {
        operationId: "inbound-deliveries.list",
        tags: TAGS,
        summary: "List what the code host told, with what came of it, newest first",
      },
    })
    .post(
      "/v1/inbound-deliveries/:id/replay",
      async ({ actor, params, set }) => {
        set.status = 202;
        return replayInbound(deps, actor, params.id);
      },
      {
        auth: { scope: "webhooks:manage" },
        params: InboundParams,
        response: { 202: InboundDelivery },
        detail: {
          operationId: "inbound-deliveries.replay",
          tags: TAGS,
          summary: "Handle a delivery of the code host again, whatever its age",
          responses: {
            409: { description: "`conflict`: it is still being handled, or holds nothing to handle." },
          },
        },
      },
    );
}
