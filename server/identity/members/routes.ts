import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { MemberChange, MemberList, MemberListQuery, MemberParams, MemberView } from "./model.ts";
import { changeRole, dismiss, listOfOrg } from "./service.ts";

const TAGS = ["identity", "members"];
const MANAGE = { scope: "members:manage" } as const;
const OWNERS = "Only an owner makes owners, changes their role and removes them.";
const LAST_OWNER = { 409: { description: "`conflict`: the org would be without an owner." } };

/** Who belongs to the org, in which role. */
export function membersRoutes(deps: Deps) {
  return new Elysia({ name: "members", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/members", ({ actor, query }) => listOfOrg(deps, actor, query), {
      auth: MANAGE,
      query: MemberListQuery,
      response: { 200: MemberList },
      detail: { operationId: "members.list", tags: TAGS, summary: "List the org's members" },
    })
    .patch(
      "/v1/members/:userId",
      ({ actor, params, body }) => changeRole(deps, actor, params.userId, body.role),
      {
        auth: MANAGE,
        params: MemberParams,
        body: MemberChange,
        response: { 200: MemberView },
        detail: {
          operationId: "members.change",
          tags: TAGS,
          summary: "Give a member another role, at once",
          description: OWNERS,
          responses: LAST_OWNER,
        },
      },
    )
    .delete(
      "/v1/members/:userId",
      async ({ actor, params, set }) => {
        await dismiss(deps, actor, params.userId);
        set.status = 204;
      },
      {
        auth: MANAGE,
        params: MemberParams,
        detail: {
          operationId: "members.remove",
          tags: TAGS,
          summary: "Remove a member; sessions in the org and personal tokens end at once",
          description: OWNERS,
          responses: { 204: { description: "The member is gone." }, ...LAST_OWNER },
        },
      },
    );
}
