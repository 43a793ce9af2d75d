const MAX_ANSWER_BYTES = 1024 * 1024;

/** An answer that has more bytes than anybody needs. */
export class AnswerTooLargeError extends Error {
  override name = "AnswerTooLargeError";
}

/** Fetches what an operator's settings name, for a library that is given its `fetch`. No answer is read beyond 1 MiB. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  let size = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > MAX_ANSWER_BYTES) controller.error(new AnswerTooLargeError("The answer is too large."));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted ?? null, { status, statusText, headers });
}
