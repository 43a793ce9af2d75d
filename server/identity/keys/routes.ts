import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { CreatedKey, KeyList, KeyListQuery, NewKey } from "./model.ts";
import { createKey, listKeys, revokeKey } from "./service.ts";

const TAGS = ["identity", "keys"];

/** API keys of the org. */
export function keysRoutes(deps: Deps) {
  return new Elysia({ name: "keys", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .post(
      "/v1/api-keys",
      async ({ actor, body, set }) => {
        set.status = 201;
        return createKey(deps, actor, body);
      },
      {
        auth: { scope: "keys:manage" },
        body: NewKey,
        response: { 201: CreatedKey },
        detail: {
          operationId: "keys.create",
          tags: TAGS,
          summary: "Make an API key; its secret is shown once",
        },
      },
    )
    .get("/v1/api-keys", ({ actor, query }) => listKeys(deps, actor, query), {
      auth: { scope: "keys:manage" },
      query: KeyListQuery,
      response: { 200: KeyList },
      detail: { operationId: "keys.list", tags: TAGS, summary: "List the org's API keys, newest first" },
    })
    .delete(
      "/v1/api-keys/:id",
      async ({ actor, params, set }) => {
        await revokeKey(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: { scope: "keys:manage" },
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        detail: {
          operationId: "keys.revoke",
          tags: TAGS,
          summary: "Revoke an API key at once",
          responses: { 204: { description: "The key is revoked." } },
        },
      },
    );
}
