import { bodyWithin } from "../../http/body.ts";
import { AppError, invalid } from "../../http/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../../platform/json-depth.ts";
import type { Semaphore } from "../../platform/semaphore.ts";

/** What a code host sends at most; it does not send what is larger. */
export const MAX_BODY_BYTES = 26_214_400;
/** Few payloads are larger. Before its signature is known nobody may fill the memory: larger ones are read two at a time. */
const SMALL_BYTES = 1024 * 1024;
/** The host itself gives up after ten seconds. */
const PATIENCE_MS = 30_000;

/**
 * The bytes of a delivery.
 * @throws AppError `body_too_large`; `validation_failed` (408) for one that does not come to its end
 */
export async function readDelivery(
  request: Request,
  { clock, large }: { clock: Pick<Clock, "sleep">; large: Semaphore },
): Promise<Uint8Array> {
  const over = new AbortController();
  const late = clock.sleep(PATIENCE_MS, over.signal).then(() => "late" as const);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const source = bodyWithin(request, MAX_BODY_BYTES);

  /** Reads on to the end, or until there are more than so many bytes. */
  async function readOver(limit: number): Promise<void> {
    while (size <= limit) {
      const next = await Promise.race([source.next(), late]);
      if (next === "late")
        throw new AppError("validation_failed", `The body did not come within ${PATIENCE_MS / 1000} s.`, {
          status: 408,
        });
      if (next.done) return;
      chunks.push(next.value);
      size += next.value.byteLength;
    }
  }

  try {
    await readOver(SMALL_BYTES);
    if (size > SMALL_BYTES) await large.run("delivery", over.signal, () => readOver(MAX_BODY_BYTES));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("validation_failed", "The body ended early.", { status: 408, cause: error });
  } finally {
    over.abort();
    // What is left of it is not waited for.
    void source.return(undefined).catch(() => {});
  }
  if (size > MAX_BODY_BYTES) throw tooLarge();
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

const tooLarge = () => new AppError("body_too_large", `A delivery may have at most ${MAX_BODY_BYTES} bytes.`);

/**
 * The payload in a body: JSON, or a form whose field `payload` is JSON.
 * @throws AppError `invalid_request` for a body that is neither
 */
export function parsePayload(body: Uint8Array, contentType: string | null): Record<string, unknown> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? "");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw invalid("The body is not UTF-8.");
  }
  if (isForm) {
    const field = new URLSearchParams(text).get("payload");
    if (field === null) throw invalid('The form has no field "payload".');
    text = field;
  }
  if (isNestedTooDeep(isForm ? new TextEncoder().encode(text) : body))
    throw invalid(`The payload nests deeper than ${MAX_JSON_DEPTH} levels.`);
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    throw invalid("The payload is not JSON.");
  }
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    throw invalid("The payload is no JSON object.");
  return payload as Record<string, unknown>;
}
