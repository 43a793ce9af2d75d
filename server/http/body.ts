import { isNestedTooDeep, MAX_JSON_DEPTH } from "../platform/json-depth.ts";
import { AppError, invalid } from "./errors.ts";

/** Size limit of JSON bodies in bytes. */
export const MAX_JSON_BYTES = 1024 * 1024;

/**
 * The JSON document in a request's body, or undefined when the body is empty. Reads no more than the limit, whatever
 * the client says or sends.
 * @throws AppError `body_too_large` or `invalid_request`
 */
export async function readJson(request: Request, limit = MAX_JSON_BYTES): Promise<unknown> {
  const text = new TextDecoder("utf-8", { fatal: true });
  const bytes = await readLimited(request, limit);
  if (bytes.length === 0) return undefined;
  if (isNestedTooDeep(bytes)) throw invalid(`The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
  try {
    return JSON.parse(text.decode(bytes));
  } catch {
    throw invalid("The body is not JSON in UTF-8.");
  }
}

/**
 * The body's bytes.
 * @throws AppError `body_too_large` when there are more than `limit`
 */
export const readLimited = (request: Request, limit: number): Promise<Uint8Array> =>
  collectLimited(bodyWithin(request, limit), limit);

/** The body's bytes, as they come. @throws AppError `body_too_large` when it announces more than `limit` */
export async function* bodyWithin(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  if (request.body) yield* request.body;
}

/** Bytes as a whole. @throws AppError `body_too_large` when there are more than `limit` */
export async function collectLimited(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

function tooLarge(limit: number): AppError {
  return new AppError("body_too_large", `The body may have at most ${limit} bytes.`);
}
