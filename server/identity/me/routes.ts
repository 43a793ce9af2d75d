import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../auth.ts";
import { Me } from "./model.ts";
import { showMe } from "./service.ts";

/** Who the caller is. */
export function meRoutes(deps: Deps) {
  return new Elysia({ name: "me" })
    .use(authMacro(deps))
    .get("/api/v1/me", ({ actor }) => showMe(deps, actor), {
      auth: { scope: null },
      response: { 200: Me },
      detail: {
        operationId: "me.show",
        tags: ["identity", "me"],
        summary: "The current user, org and scopes",
      },
    });
}
