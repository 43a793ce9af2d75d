import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { PreflightAnswer, PreflightState } from "./model.ts";
import { runPreflight, showPreflight } from "./service.ts";

const TAGS = ["watch", "preflights"];
const Params = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "Id or slug." }),
});

/** What comes before a scenario is watched. */
export function preflightsRoutes(deps: Deps) {
  return new Elysia({ name: "preflights", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/scenarios/:id/preflight", ({ actor, params }) => showPreflight(deps, actor, params.id), {
      auth: { scope: "scenarios:read" },
      params: Params,
      response: { 200: PreflightState },
      detail: {
        operationId: "preflights.show",
        tags: TAGS,
        summary: "Whether a preflight of a scenario is recorded",
      },
    })
    .post(
      "/v1/scenarios/:id/preflight",
      ({ actor, params, request, server }) => {
        server?.timeout(request, 0);
        return runPreflight(deps, actor, params.id);
      },
      {
        auth: { scope: ["scheduled_checks:manage", "runs:write"] },
        params: Params,
        response: { 200: PreflightAnswer },
        detail: {
          operationId: "preflights.run",
          tags: TAGS,
          summary: "Run a scenario once and see that its target knows synthetic users",
          description:
            "The answer comes when the run has ended. It is recorded, as `synthetic.preflight` in the audit log, when a request to the scenario's origin went out with `X-Synthetic-Source` and was answered, and a page saw `window.__PRODUCT_SYNTHETIC__`; the scenario need not pass.",
          responses: { 503: { description: "`unavailable`: the run did not end in time." } },
        },
      },
    );
}
