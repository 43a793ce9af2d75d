import { createHmac, timingSafeEqual } from "node:crypto";

const FORM = /^sha256=([0-9a-f]{64})$/i;

/**
 * Whether the header `X-Hub-Signature-256` is the HMAC-SHA-256 of the body's bytes under the secret, compared in constant time
 * (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
 */
export function isSigned(body: Uint8Array, header: string | null, secret: string): boolean {
  const given = FORM.exec(header ?? "")?.[1];
  if (given === undefined) return false;
  const right = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(right, Buffer.from(given, "hex"));
}
