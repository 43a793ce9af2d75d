import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../auth.ts";
import { SsoTest, SsoView } from "./model.ts";
import { showSso, testSso } from "./service.ts";

const TAGS = ["identity", "sso"];
const MANAGERS = { scope: null, role: ["owner", "admin"], person: true } as const;

/** How the org's people sign in with an identity provider. It is configured in settings.json alone. */
export function ssoRoutes(deps: Deps) {
  return new Elysia({ name: "sso" })
    .use(authMacro(deps))
    .get("/v1/sso", ({ actor }) => showSso(deps, actor), {
      auth: MANAGERS,
      response: { 200: SsoView },
      detail: { operationId: "sso.show", tags: TAGS, summary: "How single sign-on is configured" },
    })
    .post("/v1/sso/test", ({ actor }) => testSso(deps, actor), {
      auth: MANAGERS,
      response: { 200: SsoTest },
      detail: {
        operationId: "sso.test",
        tags: TAGS,
        summary: "Ask the identity provider for its discovery document",
      },
    });
}
