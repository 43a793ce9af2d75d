import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { Grid } from "./model.ts";
import { gridText } from "./service.ts";

const jsonText = (text: string) => new Response(text, { headers: { "content-type": "application/json" } });

/** How everything that is watched is, in one answer. */
export function gridRoutes(deps: Deps) {
  return new Elysia({ name: "grid", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/monitoring/grid", async ({ actor }) => jsonText(await gridText(deps, actor.orgId)), {
      auth: { scope: ["runs:read", "scenarios:read"] },
      response: { 200: Grid },
      detail: {
        operationId: "grid.show",
        tags: ["watch", "grid"],
        summary: "Health of every watched scenario in each of its regions",
      },
    });
}
