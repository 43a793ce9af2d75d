import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { bytesAnswer } from "../docs.ts";
import { TraceParams } from "../traces/access.ts";
import { exportBundle } from "./service.ts";

/** A trace as a file to take along. */
export function exportsRoutes(deps: Deps) {
  return new Elysia({ name: "exports" }).use(authMacro(deps)).get(
    "/v1/traces/:id/export",
    async ({ actor, params }) => {
      const { fileName, body } = await exportBundle(deps, actor, params.id);
      return new Response(body, {
        headers: {
          "content-type": "application/zstd",
          "content-disposition": `attachment; filename="${fileName}"`,
          "cache-control": "no-store",
        },
      });
    },
    {
      auth: { scope: "traces:read" },
      params: TraceParams,
      detail: {
        operationId: "exports.read",
        tags: ["trace", "exports"],
        summary: "A trace as a bundle that ingest takes back",
        responses: {
          200: bytesAnswer("application/zstd", "A zstd-compressed tar archive."),
          409: { description: "The trace is cold, or has not ended." },
        },
      },
    },
  );
}
