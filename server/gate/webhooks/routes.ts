import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { MAX_BODY_BYTES } from "./body.ts";
import { HookAnswer } from "./model.ts";
import { createReceiver } from "./service.ts";

const PAYLOAD = { type: "object" as const, description: "An event as the code host documents it." };

/** What a code host sends. The signature is the credential: no org's limits count here, so that no delivery is lost to them. */
export function webhooksRoutes(deps: Deps) {
  const receiver = createReceiver(deps);
  const header = (name: string, description: string) => ({
    ...{ name, in: "header" as const, description },
    schema: { type: "string" as const },
  });
  return new Elysia({ name: "webhooks", detail: inDialect("monitoring") }).post(
    "/v1/webhooks/github",
    ({ request }) => receiver.receive(request),
    {
      parse: "none",
      response: { 200: HookAnswer },
      detail: {
        operationId: "webhooks.receive",
        tags: ["gate", "webhooks"],
        summary: "Take an event of the code host in",
        description:
          "Open to whoever signs with the webhook's secret. The answer comes before anything follows; a delivery id that was seen within 24 hours gets the first answer again.",
        security: [],
        parameters: [
          header("X-GitHub-Event", "The name of the event."),
          header("X-GitHub-Delivery", "The id of the delivery, the same when it is sent again."),
          header("X-Hub-Signature-256", "`sha256=` and the HMAC-SHA-256 of the body's bytes, in hex."),
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: PAYLOAD },
            "application/x-www-form-urlencoded": {
              schema: {
                type: "object" as const,
                properties: { payload: { type: "string" as const, description: "The event as JSON." } },
              },
            },
          },
        },
        responses: {
          401: { description: "`signature_invalid`: the signature is missing or another one." },
          408: { description: "`validation_failed`: the body did not come to its end." },
          413: { description: `\`body_too_large\`: the body has more than ${MAX_BODY_BYTES} bytes.` },
          422: {
            description:
              "`delivery_stale`: what it tells of happened more than 10 minutes ago, or lies 5 minutes ahead. `validation_failed`: it cannot be read.",
          },
          503: { description: "`unavailable`: an app is set without the secret of its webhook." },
        },
      },
    },
  );
}
