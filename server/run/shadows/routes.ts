import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { ShadowDiffAnswer } from "./model.ts";
import { showShadowDiff } from "./service.ts";

/** What clones answer otherwise than production. */
export function shadowsRoutes(deps: Deps) {
  return new Elysia({ name: "shadows", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/shadow-diff/:runId", ({ actor, params }) => showShadowDiff(deps, actor, params.runId), {
      auth: { scope: "runs:read" },
      params: Type.Object({ runId: Type.String({ format: "uuid" }) }),
      response: { 200: ShadowDiffAnswer },
      detail: {
        operationId: "shadows.show",
        tags: ["run", "shadows"],
        summary: "What the clones of a run answer otherwise than production",
        description:
          'Made by `POST /v1/runs/manual` with `"type": "shadow_diff"`: the scenario runs against the real third parties twice, to learn what varies, and once against its clones. Requests of its pages to addresses that a clone matches are compared; only GET, and only GET is sent to the real ones a second time, unless the scenario is `idempotent: true`.',
      },
    });
}
