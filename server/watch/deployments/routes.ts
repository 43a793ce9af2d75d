import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { Deployment, DeploymentList, NewDeployment } from "./model.ts";
import { createDeployment, listDeployments } from "./service.ts";

const TAGS = ["watch", "deployments"];

/** Which commit runs where, as whoever deploys says. */
export function deploymentsRoutes(deps: Deps) {
  return new Elysia({ name: "deployments", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/deployments", ({ actor }) => listDeployments(deps, actor), {
      auth: { scope: "runs:read" },
      response: { 200: DeploymentList },
      detail: {
        operationId: "deployments.list",
        tags: TAGS,
        summary: "Which commit runs at each address that was named",
      },
    })
    .post("/v1/deployments", ({ actor, body }) => createDeployment(deps, actor, body), {
      auth: { scope: "runs:write" },
      body: NewDeployment,
      response: { 200: Deployment },
      detail: {
        operationId: "deployments.create",
        tags: TAGS,
        summary: "Say which commit runs at an address from now on",
        description:
          "Scheduled runs of scenarios whose `base_url` lies there carry it, so that an incident names its first bad commit. What was said before of that address is replaced.",
        responses: { 409: { description: "`conflict`: an org names at most 1000 addresses." } },
      },
    });
}
