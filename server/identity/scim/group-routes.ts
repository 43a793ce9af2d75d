import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect, SCIM_BASE } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { answerScim, type ScimAnswer, shown } from "./answer.ts";
import type { ScimCall } from "./context.ts";
import { createGroup, deleteGroup, listGroups, patchGroup, replaceGroup, showGroup } from "./groups.ts";
import type { ListQuery } from "./list.ts";
import {
  AttributesQuery,
  described,
  GroupChanges,
  GroupMessage,
  MANAGE,
  ScimListQuery,
  ScimParams,
  SearchMessage,
} from "./model.ts";
import { hasAttribute, readProjection } from "./projection.ts";
import { readSearch } from "./search-request.ts";
import { shapes } from "./shape.ts";

const GROUPS = `${SCIM_BASE}/Groups`;

/** Groups of a directory (RFC 7644, section 3). */
export function groupRoutes(deps: Deps) {
  return new Elysia({ name: "scim-groups", detail: inDialect("scim") })
    .use(authMacro(deps))
    .get(
      GROUPS,
      ({ actor, request, path, query }) =>
        answerScim(deps, { actor, request, path }, async (call) => ({
          status: 200,
          body: await listGroups(call, query),
        })),
      {
        auth: MANAGE,
        query: ScimListQuery,
        detail: described(
          "list_groups",
          "List the directory's groups",
          { 200: "A ListResponse." },
          "A page ends earlier where its groups have more than 20,000 members together; `excludedAttributes=members` leaves them out.",
        ),
      },
    )
    .post(
      `${GROUPS}/.search`,
      ({ actor, request, path, body }) =>
        answerScim(deps, { actor, request, path }, async (call) => ({
          status: 200,
          body: await listGroups(call, readSearch(body)),
        })),
      {
        auth: { ...MANAGE, limit: "read" },
        body: SearchMessage,
        detail: described("search_groups", "List the directory's groups by a SearchRequest", {
          200: "A ListResponse.",
        }),
      },
    )
    .post(
      GROUPS,
      ({ actor, request, path, query, body }) =>
        answerScim(deps, { actor, request, path }, async (call) =>
          show(call, await createGroup(call, body), 201, { query, request }),
        ),
      {
        auth: MANAGE,
        query: AttributesQuery,
        body: GroupMessage,
        detail: described(
          "create_group",
          "Make a group of provisioned users",
          { 201: "The group.", 409: "`uniqueness`: the org has a group of this name." },
          "Members are users; a group as a member is refused.",
        ),
      },
    )
    .get(
      `${GROUPS}/:id`,
      ({ actor, request, path, params, query }) =>
        answerScim(deps, { actor, request, path }, (call) => show(call, params.id, 200, { query, request })),
      {
        auth: MANAGE,
        params: ScimParams,
        query: AttributesQuery,
        detail: described("show_group", "One group with its members", {
          200: "The group.",
          304: "`If-None-Match` names it.",
        }),
      },
    )
    .put(
      `${GROUPS}/:id`,
      ({ actor, request, path, params, query, body }) =>
        answerScim(deps, { actor, request, path }, async (call) => {
          await replaceGroup(call, params.id, body);
          return show(call, params.id, 200, { query, request });
        }),
      {
        auth: MANAGE,
        params: ScimParams,
        query: AttributesQuery,
        body: GroupMessage,
        detail: described("replace_group", "Replace a group with its members", {
          200: "The group as it is now.",
        }),
      },
    )
    .patch(
      `${GROUPS}/:id`,
      ({ actor, request, path, params, query, body }) =>
        answerScim(deps, { actor, request, path }, async (call) => {
          await patchGroup(call, params.id, body);
          const isAsked = query.attributes !== undefined || query.excludedAttributes !== undefined;
          return isAsked ? show(call, params.id, 200, { query, request }) : { status: 204 };
        }),
      {
        auth: MANAGE,
        params: ScimParams,
        query: AttributesQuery,
        body: GroupChanges,
        detail: described("change_group", "Change a group by a PatchOp: its name, or who is in it", {
          200: "The group as it is now, where the request names attributes.",
          204: "The group is changed.",
        }),
      },
    )
    .delete(
      `${GROUPS}/:id`,
      ({ actor, request, path, params }) =>
        answerScim(deps, { actor, request, path }, async (call) => {
          await deleteGroup(call, params.id);
          return { status: 204 };
        }),
      {
        auth: MANAGE,
        params: ScimParams,
        detail: described("delete_group", "Remove a group; its users stay", { 204: "The group is gone." }),
      },
    );
}

async function show(
  call: ScimCall,
  id: string,
  status: 200 | 201,
  { query, request }: { query: ListQuery; request: Request },
): Promise<ScimAnswer> {
  const { group: shape } = await shapes();
  const projection = readProjection(shape, query);
  const tagged = await showGroup(call, id, (name) => hasAttribute(projection, name));
  return shown(tagged, status, { shape, query, request });
}
