import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { bodyWithin } from "../../http/body.ts";
import { originOf } from "../../http/guard.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { readIntegers } from "../query.ts";
import { MAX_CHUNK_BYTES } from "./chunk.ts";
import {
  ArtifactKind,
  ArtifactTaken,
  BlobsTaken,
  BlobTaken,
  CaptureEnd,
  CaptureEnded,
  CaptureManifest,
  CaptureStarted,
  ChunkQuery,
  ChunkTaken,
} from "./model.ts";
import { receiveBody, receiveMembers } from "./receive.ts";
import { createCaptureService } from "./service.ts";

const TAGS = ["trace", "capture"];
const WRITE = { scope: "traces:write" } as const;
const ENDED = { description: "`conflict`: the capture has ended." };
const BYTES = {
  required: true,
  content: { "application/octet-stream": { schema: { type: "string" as const, format: "binary" } } },
};

const BlobParams = Type.Composite([
  TraceParams,
  Type.Object({ sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "Lower-case hex." }) }),
]);
const ArtifactParams = Type.Composite([TraceParams, Type.Object({ kind: ArtifactKind })]);

const typeOf = (request: Request): string | null => request.headers.get("content-type");

/** Recording from outside while the run goes on: begin, chunks of events, blobs, files, end. */
export function captureRoutes(deps: Deps) {
  const service = createCaptureService(deps);
  return new Elysia({ name: "capture" })
    .use(authMacro(deps))
    .post(
      "/internal/v1/traces",
      ({ actor, body, request, set }) => {
        set.status = 201;
        return service.begin(actor, body, originOf(request, deps.config));
      },
      {
        auth: WRITE,
        body: CaptureManifest,
        response: { 201: CaptureStarted },
        detail: {
          operationId: "capture.begin",
          tags: TAGS,
          summary: "Begin a trace that grows while its run goes on",
        },
      },
    )
    .post(
      "/internal/v1/traces/:id/chunks",
      ({ actor, params, query, request }) =>
        service.chunk(actor, params.id, query.n, bodyWithin(request, MAX_CHUNK_BYTES)),
      {
        parse: "none",
        auth: WRITE,
        params: TraceParams,
        query: ChunkQuery,
        transform: readIntegers("n"),
        response: { 200: ChunkTaken },
        detail: {
          operationId: "capture.chunk",
          tags: TAGS,
          summary: "Add events; on disk when it answers, and safe to repeat",
          requestBody: {
            required: true,
            content: { "application/zstd": { schema: { type: "string" as const, format: "binary" } } },
          },
          responses: {
            400: {
              description:
                "`bundle_unreadable`: the body is no whole zstd, or a line is refused, and with it the chunk. Its number stays free.",
            },
            409: {
              description:
                "`conflict`: a chunk before it is missing, one with other bytes was taken under this number, or the capture has ended.",
            },
            413: {
              description:
                "`body_too_large`: send smaller chunks. `bundle_too_large`: the trace has no room for more events, as no upload has past the plan's cap. What was taken before stays: end the capture.",
            },
          },
        },
      },
    )
    .post(
      "/internal/v1/traces/:id/blobs",
      ({ actor, params, request, server }) => {
        server?.timeout(request, 0);
        return service.blobs(actor, params.id, receiveMembers(deps, request));
      },
      {
        parse: "none",
        auth: WRITE,
        params: TraceParams,
        response: { 200: BlobsTaken },
        detail: {
          operationId: "capture.blobs",
          tags: TAGS,
          summary: "Add several payloads that events name: a tar archive, each member named by its SHA-256",
          description:
            "Up to 1,000 at once. Either all of them are kept or none; sending them again is fine, and a member that comes twice in one archive is taken once. All that a capture holds, unpacked, is bounded as an upload is: 20 times the plan's upload cap.",
          requestBody: {
            required: true,
            content: { "application/x-tar": { schema: { type: "string" as const, format: "binary" } } },
          },
          responses: {
            400: {
              description:
                "`blob_mismatch`: a member has another hash. `bundle_unreadable`: the body is no whole tar archive.",
            },
            409: ENDED,
            413: { description: "`bundle_too_large`" },
          },
        },
      },
    )
    .put(
      "/internal/v1/traces/:id/blobs/:sha256",
      ({ actor, params, request, server }) => {
        // A slow sender may be quiet for longer than the idle timeout; its silence is bounded instead.
        server?.timeout(request, 0);
        return service.blob(actor, params.id, params.sha256, receiveBody(deps, request), typeOf(request));
      },
      {
        parse: "none",
        auth: WRITE,
        params: BlobParams,
        response: { 200: BlobTaken },
        detail: {
          operationId: "capture.blob",
          tags: TAGS,
          summary: "Add a payload that events name by its SHA-256",
          requestBody: BYTES,
          responses: {
            400: { description: "`blob_mismatch`: the body has another hash." },
            409: ENDED,
            413: { description: "`bundle_too_large`" },
          },
        },
      },
    )
    .put(
      "/internal/v1/traces/:id/artifacts/:kind",
      ({ actor, params, request, server }) => {
        server?.timeout(request, 0);
        return service.artifact(actor, params.id, params.kind, receiveBody(deps, request), typeOf(request));
      },
      {
        parse: "none",
        auth: WRITE,
        params: ArtifactParams,
        response: { 200: ArtifactTaken },
        detail: {
          operationId: "capture.artifact",
          tags: TAGS,
          summary: "Add a file of the trace, in the place of one of its kind",
          requestBody: BYTES,
          responses: { 409: ENDED, 413: { description: "`bundle_too_large`" } },
        },
      },
    )
    .post("/internal/v1/traces/:id/end", ({ actor, params, body }) => service.end(actor, params.id, body), {
      auth: WRITE,
      params: TraceParams,
      body: CaptureEnd,
      response: { 200: CaptureEnded },
      detail: {
        operationId: "capture.end",
        tags: TAGS,
        summary: "End the capture; post-processing follows",
        responses: { 409: { description: "`conflict`: it ended before, in another way." } },
      },
    });
}
