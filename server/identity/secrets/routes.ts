import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { MAX_SECRETS, NewSecret, SecretList, SecretParams, SecretView } from "./model.ts";
import { deleteSecret, listSecrets, setSecret } from "./service.ts";

const TAGS = ["identity", "secrets"];
const MANAGE = { scope: "secrets:manage" } as const;
const CONFIGURED =
  "`conflict`: settings.json or the server's environment has a secret of this name, which wins.";

/** What the runs of an org may know and nobody may read: values go in and never come out. */
export function secretsRoutes(deps: Deps) {
  return new Elysia({ name: "secrets", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/secrets", ({ actor }) => listSecrets(deps, actor), {
      auth: MANAGE,
      response: { 200: SecretList },
      detail: {
        operationId: "secrets.list",
        tags: TAGS,
        summary: "List the org's secrets by name, without their values",
        description: "Those of settings.json and of the server's environment belong to the first org.",
      },
    })
    .put(
      "/v1/secrets/:name",
      async ({ actor, params, body, set }) => {
        const { secret, isNew } = await setSecret(deps, actor, params.name, body);
        set.status = isNew ? 201 : 200;
        return secret;
      },
      {
        auth: MANAGE,
        params: SecretParams,
        body: NewSecret,
        response: { 200: SecretView, 201: SecretView },
        detail: {
          operationId: "secrets.set",
          tags: TAGS,
          summary: "Keep a secret, or replace it whole",
          description: `Runs of the org get it where their scenario says \`\${secrets.NAME}\`. Without \`origins\` it may go everywhere, whatever was there before. It is kept encrypted under a key of this data folder. An org has at most ${MAX_SECRETS}.`,
          responses: { 409: { description: CONFIGURED } },
        },
      },
    )
    .delete(
      "/v1/secrets/:name",
      async ({ actor, params, set }) => {
        await deleteSecret(deps, actor, params.name);
        set.status = 204;
      },
      {
        auth: MANAGE,
        params: SecretParams,
        detail: {
          operationId: "secrets.delete",
          tags: TAGS,
          summary: "Remove a secret",
          responses: {
            204: { description: "The secret is gone." },
            409: { description: CONFIGURED },
          },
        },
      },
    );
}
