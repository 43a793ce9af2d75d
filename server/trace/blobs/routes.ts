import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { originOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import type { TraceAccess } from "../access.ts";
import { redirectAnswer, SHARE_REFUSALS } from "../docs.ts";
import { BlobQuery, blobLink, redirectToBlob } from "./service.ts";

const FOUND = { 302: redirectAnswer("`Location` is a signed link to the bytes.") };
const DETAILS = {
  member: {
    operationId: "blobs.read",
    tags: ["trace", "blobs"],
    summary: "Go to the bytes of a blob",
    responses: { ...FOUND, 409: { description: "The trace is cold: restore it first." } },
  },
  share: {
    operationId: "share.blob",
    tags: ["trace", "share"],
    summary: "Go to the bytes of a shared trace's blob",
    responses: { ...FOUND, ...SHARE_REFUSALS },
  },
};

/** Payloads that events name by their hash. */
export function blobsReads(deps: Deps, access: TraceAccess) {
  return new Elysia().use(authMacro(deps)).get(
    "/blob/:sha256",
    async ({ actor, params, query, request }) => {
      const trace = await access.open({ actor, params, request });
      const viaShare = access.viaShare(trace);
      const link = {
        base: originOf(request, deps.config),
        viaShare,
        isPage: query.as !== undefined,
      };
      const location = await blobLink(deps, trace, params.sha256, link);
      return redirectToBlob(deps, location, { viaShare: viaShare !== null });
    },
    {
      auth: access.auth,
      params: Type.Object({ ...access.params, sha256: Type.String({ maxLength: 200 }) }),
      query: BlobQuery,
      detail: DETAILS[access.kind],
    },
  );
}
