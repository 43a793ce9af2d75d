const MAX_ANSWER_BYTES = 1024 * 1024;

/** An answer that has more bytes than anybody needs. */
export class AnswerTooLargeError extends Error {
  override name = "AnswerTooLargeError";
}

/**
 * Fetches what an operator's settings name, be its address private or not.
 * @param maxBytes of an answer no more is read: 1 MiB, unless the caller says otherwise
 */
export async function boundedFetch(
  url: string,
  options: RequestInit,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Response> {
  const response = await fetch(url, options);
  let size = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > maxBytes) controller.error(new AnswerTooLargeError("The answer is too large."));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted ?? null, { status, statusText, headers });
}
