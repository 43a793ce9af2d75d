import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { CodeHostCheck, CodeHostState } from "./model.ts";
import { checkCodeHost, showCodeHost } from "./service.ts";

const TAGS = ["gate", "code-host"];

/** How this server and the code host are connected. */
export function codeHostRoutes(deps: Deps) {
  return new Elysia({ name: "code-host", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/code-host", ({ actor }) => showCodeHost(deps, actor), {
      auth: { scope: "webhooks:manage" },
      response: { 200: CodeHostState },
      detail: {
        operationId: "code-host.show",
        tags: TAGS,
        summary: "What is set for the code host, and what is missing",
      },
    })
    .get("/v1/code-host/check", ({ actor }) => checkCodeHost(deps, actor), {
      auth: { scope: "webhooks:manage" },
      response: { 200: CodeHostCheck },
      detail: {
        operationId: "code-host.check",
        tags: TAGS,
        summary: "Ask the code host whether address, credential and repository are right",
      },
    });
}
