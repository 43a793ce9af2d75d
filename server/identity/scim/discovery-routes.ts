import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect, SCIM_BASE } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { answerScim } from "./answer.ts";
import { findDiscovered, listDiscovered, serviceProviderConfig } from "./discovery.ts";
import { described, MANAGE } from "./model.ts";

const query = Type.Object({ filter: Type.Optional(Type.String({ description: "Refused with 403." })) });
const params = Type.Object({ id: Type.String({ maxLength: 200 }) });

/** What this server does of SCIM (RFC 7644, section 4). */
export function discoveryRoutes(deps: Deps) {
  return new Elysia({ name: "scim-discovery", detail: inDialect("scim") })
    .use(authMacro(deps))
    .get(
      `${SCIM_BASE}/ServiceProviderConfig`,
      ({ actor, request, path }) =>
        answerScim(deps, { actor, request, path }, async ({ base }) => ({
          status: 200,
          body: serviceProviderConfig(base),
        })),
      {
        auth: MANAGE,
        detail: described("config", "What this server does of SCIM", { 200: "A ServiceProviderConfig." }),
      },
    )
    .get(
      `${SCIM_BASE}/ResourceTypes`,
      ({ actor, request, path, query }) =>
        answerScim(deps, { actor, request, path }, async ({ base }) => ({
          status: 200,
          body: await listDiscovered("ResourceTypes", base, query.filter),
        })),
      {
        auth: MANAGE,
        query,
        detail: described("list_types", "The types of resources", { 200: "A ListResponse." }),
      },
    )
    .get(
      `${SCIM_BASE}/ResourceTypes/:id`,
      ({ actor, request, path, params }) =>
        answerScim(deps, { actor, request, path }, async ({ base }) => ({
          status: 200,
          body: await findDiscovered("ResourceTypes", base, params.id),
        })),
      {
        auth: MANAGE,
        params,
        detail: described("show_type", "One type of resources", { 200: "A ResourceType." }),
      },
    )
    .get(
      `${SCIM_BASE}/Schemas`,
      ({ actor, request, path, query }) =>
        answerScim(deps, { actor, request, path }, async ({ base }) => ({
          status: 200,
          body: await listDiscovered("Schemas", base, query.filter),
        })),
      {
        auth: MANAGE,
        query,
        detail: described("list_schemas", "The schemas of users and groups", { 200: "A ListResponse." }),
      },
    )
    .get(
      `${SCIM_BASE}/Schemas/:id`,
      ({ actor, request, path, params }) =>
        answerScim(deps, { actor, request, path }, async ({ base }) => ({
          status: 200,
          body: await findDiscovered("Schemas", base, params.id),
        })),
      {
        auth: MANAGE,
        params,
        detail: described("show_schema", "One schema", { 200: "A Schema." }),
      },
    );
}
