const asked = new WeakSet<Request>();

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

async function answerHead(handle: Handle, head: Request): Promise<Response> {
  const request = new Request(head.url, { method: "GET", headers: head.headers, signal: head.signal });
  asked.add(request);
  const { status, headers, body } = await handle(request);
  await body?.cancel();
  return new Response(null, { status, headers });
}
