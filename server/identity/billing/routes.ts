import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { Usage } from "./model.ts";
import { showUsage } from "./service.ts";

/** What the org uses of what its plan grants. */
export function billingRoutes(deps: Deps) {
  return new Elysia({ name: "billing", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/billing/usage", ({ actor }) => showUsage(deps, actor), {
      auth: { scope: "billing:read" },
      response: { 200: Usage },
      detail: {
        operationId: "billing.usage",
        tags: ["identity", "billing"],
        summary: "What the org uses of what its plan grants",
      },
    });
}
