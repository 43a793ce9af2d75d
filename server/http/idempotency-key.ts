import { invalid } from "./errors.ts";

/** The `Idempotency-Key` of a request; null without one. @throws AppError `invalid_request` */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key !== null && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  return key;
}
