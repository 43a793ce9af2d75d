import { createHmac } from "node:crypto";

/** What a webhook's secret looks like: `whsec_` and base64 of 24 to 64 bytes (Standard Webhooks). */
const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function createWebhookSecret(bytes: (length: number) => Uint8Array): string {
  return PREFIX + Buffer.from(bytes(SECRET_BYTES)).toString("base64");
}

/**
 * The headers by which a receiver knows that a message is ours: those of Standard Webhooks, and an HMAC of the body alone keyed
 * by the whole text of the secret (decisions, section 7).
 * @param at epoch seconds of this attempt
 */
export function signatureHeaders(
  secret: string,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `v1,${signature}`,
    "x-product-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}
