import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { originOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import { requireTrace } from "../access.ts";
import { redirectAnswer } from "../docs.ts";
import { BlobQuery, blobLink, redirectToBlob } from "./service.ts";

/** Payloads that events name by their hash. */
export function blobsRoutes(deps: Deps) {
  return new Elysia({ name: "blobs" }).use(authMacro(deps)).get(
    "/v1/traces/:id/blob/:sha256",
    async ({ actor, params, query, request }) => {
      const trace = await requireTrace(deps, actor, params.id);
      const link = { base: originOf(request, deps.config), isPage: query.as !== undefined };
      return redirectToBlob(deps, await blobLink(deps, trace, params.sha256, link));
    },
    {
      auth: { scope: "traces:read" },
      params: Type.Object({ id: Type.String({ format: "uuid" }), sha256: Type.String({ maxLength: 200 }) }),
      query: BlobQuery,
      detail: {
        operationId: "blobs.read",
        tags: ["trace", "blobs"],
        summary: "Go to the bytes of a blob",
        responses: {
          302: redirectAnswer("`Location` is a signed link to the bytes."),
          409: { description: "The trace is cold: restore it first." },
        },
      },
    },
  );
}
