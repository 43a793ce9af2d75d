import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../auth.ts";
import { showMe } from "./service.ts";

const Named = Type.Object({ id: Type.String(), name: Type.String() });

const Me = Type.Object({
  user: Type.Union([Type.Composite([Named, Type.Object({ email: Type.String() })]), Type.Null()]),
  org: Type.Composite([
    Named,
    Type.Object({ slug: Type.String(), role: Type.Union([Type.String(), Type.Null()]) }),
  ]),
  scopes: Type.Array(Type.String()),
});

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
