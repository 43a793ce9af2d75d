import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { CreatedKey, KeyList, KeyListQuery, MOST_KEYS, MOST_PERSONAL_TOKENS, NewKey } from "./model.ts";
import { createKey, listKeys, revokeKey } from "./service.ts";

const TAGS = ["identity", "keys"];
const MANAGE = { scope: "keys:manage", orOwn: true } as const;
const OWN = "Everybody has their own personal access tokens without `keys:manage`.";

/** API keys and service tokens of the org, and personal access tokens of its people. */
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
        auth: MANAGE,
        body: NewKey,
        response: { 201: CreatedKey },
        detail: {
          operationId: "keys.create",
          tags: TAGS,
          summary: "Make an API key or token; its secret is shown once",
          description: `${OWN} They act as their person, in this org, within these scopes and the person's role of the moment. An org may have ${MOST_KEYS} keys and service tokens, a person ${MOST_PERSONAL_TOKENS} personal ones.`,
          responses: { 409: { description: "`conflict`: there are as many as there may be." } },
        },
      },
    )
    .get("/v1/api-keys", ({ actor, query }) => listKeys(deps, actor, query), {
      auth: MANAGE,
      query: KeyListQuery,
      response: { 200: KeyList },
      detail: {
        operationId: "keys.list",
        tags: TAGS,
        summary: "List API keys and tokens, newest first",
        description: `${OWN} With it, all of the org are listed.`,
      },
    })
    .delete(
      "/v1/api-keys/:id",
      async ({ actor, params, set }) => {
        await revokeKey(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth: MANAGE,
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        detail: {
          operationId: "keys.revoke",
          tags: TAGS,
          summary: "Revoke an API key or token at once",
          description: OWN,
          responses: { 204: { description: "The key is revoked." } },
        },
      },
    );
}
