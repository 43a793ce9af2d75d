/** What routes see as GET, and the HEAD that it stands for. */
const asked = new WeakMap<Request, Request>();

export type Handle = (request: Request) => Response | Promise<Response>;

/**
 * Answers HEAD as GET would, without the body. Elysia's own way reads the whole body to count it, which for a large
 * file is slow and for an event stream never ends.
 */
export function withHead(handle: Handle, request: Request): Handle {
  return request.method === "HEAD" ? (head) => answerHead(handle, head) : handle;
}

/** Whether a request that routes see as GET was HEAD: it must change nothing. */
export function isHead(request: Request): boolean {
  return asked.has(request);
}

/** The request as it came by its socket: of another one nobody knows the address. */
export function asSent(request: Request): Request {
  return asked.get(request) ?? request;
}

async function answerHead(handle: Handle, head: Request): Promise<Response> {
  const request = new Request(head.url, { method: "GET", headers: head.headers, signal: head.signal });
  asked.set(request, head);
  const { status, headers, body } = await handle(request);
  await body?.cancel();
  const isLengthKnown = body === null || headers.has("content-length");
  return new Response(isLengthKnown ? null : unread(), { status, headers });
}

/** A body of no length: without any, Bun would say that GET's has 0 bytes (RFC 9110, section 8.6). */
function unread(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.close() }, { highWaterMark: 0 });
}
