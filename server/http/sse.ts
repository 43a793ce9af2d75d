import type { Deps } from "../deps.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": heartbeat\n\n";

/**
 * Server-sent events: each message is exactly `data: <json>` and an empty line. One heartbeat goes out at once, so that
 * the headers leave, and one every 15 s. Messages are JSON texts, already serialised. Ends with the source, with the
 * client, or with the server; the source's `signal` aborts then.
 */
export function sseResponse(
  deps: Pick<Deps, "clock" | "hub" | "log">,
  call: { request: Request; server: { timeout(request: Request, seconds: number): void } | null },
  source: (signal: AbortSignal) => AsyncIterable<string>,
): Response {
  // The idle timeout would cut a quiet stream.
  call.server?.timeout(call.request, 0);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, call.request.signal, deps.hub.closing]);
  const encoder = new TextEncoder();

  async function pump(controller: ReadableStreamDefaultController<Uint8Array>, ready: () => Promise<void>) {
    for await (const json of source(signal)) {
      if (signal.aborted) return;
      controller.enqueue(encoder.encode(`data: ${json}\n\n`));
      await ready();
    }
  }

  async function beat(controller: ReadableStreamDefaultController<Uint8Array>) {
    while (!signal.aborted) {
      await deps.clock.sleep(HEARTBEAT_MS, signal);
      if (!signal.aborted) controller.enqueue(encoder.encode(HEARTBEAT));
    }
  }

  let pulled = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(HEARTBEAT));
        /** Waits while the client reads more slowly than the source gives. */
        const ready = () =>
          new Promise<void>((resolve) => {
            if (signal.aborted || (controller.desiredSize ?? 0) > 0) return resolve();
            const done = () => {
              signal.removeEventListener("abort", done);
              resolve();
            };
            pulled = done;
            signal.addEventListener("abort", done, { once: true });
          });
        const ended = new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        });
        void beat(controller);
        Promise.race([pump(controller, ready), ended])
          .catch((error) => deps.log.error("event stream failed", { error }))
          .finally(() => {
            stop.abort();
            close(controller);
          });
      },
      pull: () => pulled(),
      cancel: () => stop.abort(),
    },
    new CountQueuingStrategy({ highWaterMark: 256 }),
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

/** A client that went away has closed its stream already. */
function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
