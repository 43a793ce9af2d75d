import { Elysia } from "elysia";
import type { Role } from "../../../store/records/schema.ts";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../auth.ts";
import { endGrant, setApproval, showGrants } from "./grants.ts";
import { GrantList, GrantListQuery, IdParams } from "./model.ts";

const TAGS = ["identity", "oauth"];
/** A program that was let in can let no other in, nor keep itself in. */
const PEOPLE: readonly Role[] = ["owner", "admin", "member"];
const MANAGERS: readonly Role[] = ["owner", "admin"];
const DONE = { 204: { description: "Done." } };

/** Agents that people have let in. */
export function grantRoutes(deps: Deps) {
  return new Elysia({ name: "oauth-grants" })
    .use(authMacro(deps))
    .get("/v1/oauth/grants", ({ actor, query }) => showGrants(deps, actor, query), {
      auth: { scope: null, role: PEOPLE, person: true },
      query: GrantListQuery,
      response: { 200: GrantList },
      detail: {
        operationId: "oauth.list_grants",
        tags: TAGS,
        summary: "List the agents that you have let in; owners and admins see everybody's",
      },
    })
    .delete(
      "/v1/oauth/grants/:id",
      async ({ actor, params, set }) => {
        await endGrant(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: { scope: null, role: PEOPLE, person: true },
        params: IdParams,
        detail: {
          operationId: "oauth.end_grant",
          tags: TAGS,
          summary: "End a grant with its tokens at once",
          responses: DONE,
        },
      },
    )
    .put(
      "/v1/oauth/clients/:id/approval",
      async ({ actor, params, set }) => {
        await setApproval(deps, actor, params.id, true);
        set.status = 204;
      },
      {
        auth: { scope: null, role: MANAGERS, person: true },
        params: IdParams,
        detail: {
          operationId: "oauth.approve_client",
          tags: TAGS,
          summary: "Ask nobody in the org for consent to this agent (Enterprise)",
          responses: DONE,
        },
      },
    )
    .delete(
      "/v1/oauth/clients/:id/approval",
      async ({ actor, params, set }) => {
        await setApproval(deps, actor, params.id, false);
        set.status = 204;
      },
      {
        auth: { scope: null, role: MANAGERS, person: true },
        params: IdParams,
        detail: {
          operationId: "oauth.withdraw_approval",
          tags: TAGS,
          summary: "Ask for consent to this agent again",
          responses: DONE,
        },
      },
    );
}
