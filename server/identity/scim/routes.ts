import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { scimBase } from "./answer.ts";
import { discoveryRoutes } from "./discovery-routes.ts";
import { groupRoutes } from "./group-routes.ts";
import { MANAGE, NewGroupRoles, ScimStatus, TAGS } from "./model.ts";
import { scimStatus, setGroupRoles } from "./service.ts";
import { userRoutes } from "./user-routes.ts";

/** Provisioning from a directory (SCIM 2.0), and what the org's own people see and say of it. */
export function scimRoutes(deps: Deps) {
  return new Elysia({ name: "scim" })
    .use(userRoutes(deps))
    .use(groupRoutes(deps))
    .use(discoveryRoutes(deps))
    .use(settingsRoutes(deps));
}

function settingsRoutes(deps: Deps) {
  return new Elysia({ name: "scim-settings", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/scim", ({ actor, request }) => scimStatus(deps, actor, scimBase(deps, request)), {
      auth: MANAGE,
      response: { 200: ScimStatus },
      detail: { operationId: "scim.status", tags: TAGS, summary: "How provisioning from a directory goes" },
    })
    .put(
      "/v1/scim/roles",
      async ({ actor, body, request }) => {
        await setGroupRoles(deps, actor, body);
        return scimStatus(deps, actor, scimBase(deps, request));
      },
      {
        auth: { ...MANAGE, role: ["owner", "admin"] },
        body: NewGroupRoles,
        response: { 200: ScimStatus },
        detail: {
          operationId: "scim.roles",
          tags: TAGS,
          summary: "Say which role the members of a directory's groups get",
          description:
            "All that was said before is replaced. Of several groups the first of admin, member, billing counts. Nobody becomes owner this way.",
        },
      },
    );
}
