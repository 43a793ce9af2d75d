import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect, SCIM_BASE } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { answerScim, shown } from "./answer.ts";
import {
  AttributesQuery,
  described,
  MANAGE,
  ScimListQuery,
  ScimParams,
  SearchMessage,
  UserChanges,
  UserMessage,
} from "./model.ts";
import { readSearch } from "./search-request.ts";
import { shapes } from "./shape.ts";
import { createUser, deleteUser, listUsers, patchUser, replaceUser, showUser } from "./users.ts";

const USERS = `${SCIM_BASE}/Users`;
const CHANGED = { 200: "The user as it is now." };

/** Users of a directory (RFC 7644, section 3). */
export function userRoutes(deps: Deps) {
  return new Elysia({ name: "scim-users", detail: inDialect("scim") })
    .use(authMacro(deps))
    .get(
      USERS,
      ({ actor, request, path, query }) =>
        answerScim(deps, { actor, request, path }, async (call) => ({
          status: 200,
          body: await listUsers(call, query),
        })),
      {
        auth: MANAGE,
        query: ScimListQuery,
        detail: described("list_users", "List the directory's users", { 200: "A ListResponse." }),
      },
    )
    .post(
      `${USERS}/.search`,
      ({ actor, request, path, body }) =>
        answerScim(deps, { actor, request, path }, async (call) => ({
          status: 200,
          body: await listUsers(call, readSearch(body)),
        })),
      {
        auth: { ...MANAGE, limit: "read" },
        body: SearchMessage,
        detail: described("search_users", "List the directory's users by a SearchRequest", {
          200: "A ListResponse.",
        }),
      },
    )
    .post(
      USERS,
      ({ actor, request, path, query, body }) =>
        answerScim(deps, { actor, request, path }, async (call) =>
          shown(await createUser(call, body), 201, { shape: (await shapes()).user, query, request }),
        ),
      {
        auth: MANAGE,
        query: AttributesQuery,
        body: UserMessage,
        detail: described(
          "create_user",
          "Provision a user, who becomes a member",
          { 201: "The user.", 409: "`uniqueness`: the org has a user of this name or address." },
          "An account that has the email address already joins the org and stays as it is. Passwords are not taken over.",
        ),
      },
    )
    .get(
      `${USERS}/:id`,
      ({ actor, request, path, params, query }) =>
        answerScim(deps, { actor, request, path }, async (call) =>
          shown(await showUser(call, params.id), 200, { shape: (await shapes()).user, query, request }),
        ),
      {
        auth: MANAGE,
        params: ScimParams,
        query: AttributesQuery,
        detail: described("show_user", "One user", { 200: "The user.", 304: "`If-None-Match` names it." }),
      },
    )
    .put(
      `${USERS}/:id`,
      ({ actor, request, path, params, query, body }) =>
        answerScim(deps, { actor, request, path }, async (call) =>
          shown(await replaceUser(call, params.id, body), 200, {
            shape: (await shapes()).user,
            query,
            request,
          }),
        ),
      {
        auth: MANAGE,
        params: ScimParams,
        query: AttributesQuery,
        body: UserMessage,
        detail: described("replace_user", "Replace what the directory says of a user", CHANGED),
      },
    )
    .patch(
      `${USERS}/:id`,
      ({ actor, request, path, params, query, body }) =>
        answerScim(deps, { actor, request, path }, async (call) =>
          shown(await patchUser(call, params.id, body), 200, {
            shape: (await shapes()).user,
            query,
            request,
          }),
        ),
      {
        auth: MANAGE,
        params: ScimParams,
        query: AttributesQuery,
        body: UserChanges,
        detail: described(
          "change_user",
          "Change a user by a PatchOp",
          CHANGED,
          "`active: false` ends the membership with every session and personal token at once; `true` brings it back.",
        ),
      },
    )
    .delete(
      `${USERS}/:id`,
      ({ actor, request, path, params }) =>
        answerScim(deps, { actor, request, path }, async (call) => {
          await deleteUser(call, params.id);
          return { status: 204 };
        }),
      {
        auth: MANAGE,
        params: ScimParams,
        detail: described("delete_user", "Deprovision a user: membership, sessions and personal tokens end", {
          204: "The user is gone from the org.",
          409: "The last owner cannot be deprovisioned.",
        }),
      },
    );
}
