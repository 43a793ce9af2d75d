import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { ATTEMPT, IngestAnswer, RUN_ID, WebhookBody } from "./model.ts";
import { createIngestService } from "./service.ts";

const TAGS = ["trace", "ingest"];
const INGEST = { scope: "traces:write", limit: "ingest", withoutScope: 401 } as const;

const REFUSALS = {
  400: {
    description:
      "A field or the file is refused: `invalid_request`, `bundle_unreadable`, `bundle_bomb` or `blob_mismatch`.",
  },
  413: { description: "`bundle_too_large`: the file is larger than the plan's upload cap." },
  503: { description: "`unavailable`: the server's disk is full." },
};

const UPLOAD_BODY = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        required: ["bundle", "scenario_slug"],
        properties: {
          bundle: {
            type: "string" as const,
            format: "binary",
            description: "A zstd-compressed tar bundle, or a Playwright trace.zip.",
          },
          scenario_slug: { type: "string" as const, pattern: "^[a-z0-9][a-z0-9-]{0,63}$" },
          scenario_title: { type: "string" as const, maxLength: 1000, description: "What people call it." },
          source: { type: "string" as const, enum: ["pr", "schedule", "manual", "shadow_diff"] },
          commit_sha: { type: "string" as const },
          pr_number: { type: "integer" as const, minimum: 1 },
          run_id: { type: "string" as const, maxLength: 200, description: RUN_ID },
          attempt: { type: "integer" as const, minimum: 1, maximum: 9999, description: ATTEMPT },
          env: {
            type: "string" as const,
            description:
              "About the run, shown with the trace: a JSON object, such as its project and its CI job.",
          },
        },
      },
    },
  },
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header" as const,
  description: "Repeating a request with the same key within 24 hours answers what the first one did.",
  schema: { type: "string" as const, maxLength: 255 },
};

/** Taking recordings in: two equal paths for uploads, one for files that the server fetches itself. */
export function ingestRoutes(deps: Deps) {
  const service = createIngestService(deps);
  const uploadDetail = (operationId: string) => ({
    operationId,
    tags: TAGS,
    summary: "Upload a bundle or a Playwright archive",
    requestBody: UPLOAD_BODY,
    parameters: [IDEMPOTENCY_KEY],
    responses: {
      ...REFUSALS,
      408: { description: "`invalid_request`: the upload stalled and was given up." },
      409: { description: "`conflict`: the Idempotency-Key was used for another request." },
      415: { description: "`unsupported_media_type`: the body is not multipart/form-data." },
    },
  });

  return new Elysia({ name: "ingest" })
    .use(authMacro(deps))
    .post(
      "/v1/traces/ingest",
      ({ actor, request, server }) => {
        // A slow client may be quiet for longer than the idle timeout; the service bounds its rate instead.
        server?.timeout(request, 0);
        return service.upload(actor, request);
      },
      {
        parse: "none",
        auth: INGEST,
        response: { 200: IngestAnswer },
        detail: uploadDetail("ingest.upload"),
      },
    )
    .post(
      "/v1/trace/traces/ingest",
      ({ actor, request, server }) => {
        server?.timeout(request, 0);
        return service.upload(actor, request);
      },
      {
        parse: "none",
        auth: INGEST,
        response: { 200: IngestAnswer },
        detail: uploadDetail("ingest.upload_hosted"),
      },
    )
    .post(
      "/internal/v1/ingest-webhook",
      ({ actor, body, request, server }) => {
        server?.timeout(request, 0);
        return service.webhook(actor, body, request.signal);
      },
      {
        auth: INGEST,
        body: WebhookBody,
        response: { 200: IngestAnswer },
        detail: {
          operationId: "ingest.webhook",
          tags: TAGS,
          summary: "Ingest a file that the server can read or fetch",
          security: [{ bearer: [] }, { internal: [] }, { internal_service: [] }],
          responses: {
            ...REFUSALS,
            400: { description: `${REFUSALS[400].description} \`url_not_allowed\` for \`bundle_url\`.` },
          },
        },
      },
    );
}
