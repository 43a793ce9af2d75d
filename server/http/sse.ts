import type { Deps } from "../deps.ts";
import { AppError } from "./errors.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": heartbeat\n\n";
/** Bytes that wait for a reader. No more is made before it has taken some. */
const MOST_WAITING = 1 << 20;
/** A reader that takes nothing for so long while that much waits has gone. */
const STALLED_MS = 60_000;
/** UTF-16 units that are encoded at once: a long message goes out piece by piece. */
const PIECE = 64 << 10;

type StreamDeps = Pick<Deps, "clock" | "hub" | "log">;

/** What opens a stream. */
export interface StreamCall {
  request: Request;
  server: { timeout(request: Request, seconds: number): void; requestIP(request: Request): unknown } | null;
  /** Asks whether whoever sends such a request may still call the route; it throws when not. Null for a route that asks nobody. */
  stillMay: ((asked: Request) => Promise<void>) | null;
}

/** A message that has a name: its event stands on a line of its own before the data. */
export interface NamedMessage {
  event: string;
  /** JSON. */
  data: string;
}

/**
 * Server-sent events: each message is exactly `data: <json>` and an empty line, after its name where it has one. One
 * heartbeat goes out at once, so that the headers leave, and one every 15 s. Messages are JSON texts, already serialised. Ends with the source, with the
 * client, or with the server; the source's `signal` aborts then. A source is asked for its next message when the last has
 * room among the 1 MiB that wait at most; a reader that takes nothing for 60 s while they are full is cut off. At each heartbeat
 * whoever opened it is asked for again all that the route asks: once the credential, the role or the membership is gone, the stream ends.
 * @param mayGoOn is asked at each heartbeat too, for what the stream is open by besides a credential: a share
 */
export function sseResponse(
  deps: StreamDeps,
  call: StreamCall,
  source: (signal: AbortSignal) => AsyncIterable<string | NamedMessage>,
  mayGoOn?: () => Promise<boolean>,
): Response {
  // The idle timeout would cut a quiet stream.
  call.server?.timeout(call.request, 0);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, call.request.signal, deps.hub.closing]);
  const encoder = new TextEncoder();
  const isStillGood = goodness(deps, call, mayGoOn);
  let pulled = () => {};
  // Of a request that is over nobody knows any more where it came from.
  const isConnected = () => call.server?.requestIP(call.request) != null;

  async function pump(controller: ReadableStreamDefaultController<Uint8Array>) {
    for await (const one of source(signal)) {
      const message =
        typeof one === "string"
          ? `data: ${onOneLine(one)}\n\n`
          : `event: ${one.event}\ndata: ${onOneLine(one.data)}\n\n`;
      for (let at = 0; at < message.length; ) {
        const end = pieceEnd(message, at);
        if (signal.aborted) return;
        controller.enqueue(encoder.encode(message.slice(at, end)));
        at = end;
        if (hasRoom(controller)) continue;
        if (!(await taken())) throw new StalledError();
      }
    }
  }

  /** Waits until the reader takes something or the stream ends; false when it has taken nothing for too long. */
  async function taken(): Promise<boolean> {
    const wait = new AbortController();
    const over = AbortSignal.any([signal, wait.signal]);
    let isStalled = true;
    pulled = () => {
      isStalled = false;
      wait.abort();
    };
    await deps.clock.sleep(STALLED_MS, over);
    pulled = () => {};
    return !isStalled || signal.aborted;
  }

  async function beat(controller: ReadableStreamDefaultController<Uint8Array>) {
    while (!signal.aborted) {
      await deps.clock.sleep(HEARTBEAT_MS, signal);
      if (!signal.aborted && !(await isStillGood())) stop.abort();
      if (!signal.aborted && hasRoom(controller)) controller.enqueue(encoder.encode(HEARTBEAT));
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(HEARTBEAT));
        const ended = new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        });
        void beat(controller);
        Promise.race([pump(controller), ended])
          .finally(() => stop.abort())
          .then(
            () => {
              // Of a server that stops, what a reader does not take goes with its connection: it is there again by `?after=`.
              if (deps.hub.closing.aborted) {
                if (controller.desiredSize !== MOST_WAITING) deps.hub.noteUnread(isConnected);
                call.server?.timeout(call.request, 1);
              }
              close(controller);
            },
            (error: unknown) => {
              if (error instanceof StalledError) {
                // What the system holds for the reader is dropped as well, with the connection.
                call.server?.timeout(call.request, 1);
                return controller.error(error);
              }
              deps.log.error("event stream failed", { error });
              close(controller);
            },
          );
      },
      pull: () => pulled(),
      cancel: () => stop.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

/** Says whether what a request came with still lets it in. What cannot be asked at the moment is no refusal. */
function goodness(
  { log }: Pick<StreamDeps, "log">,
  { request, stillMay }: StreamCall,
  mayGoOn = async () => true,
) {
  const { url, headers } = request;
  // The request itself is gone once it is answered.
  const asked = new Request(url, { headers: new Headers(headers) });
  return async (): Promise<boolean> => {
    try {
      await stillMay?.(asked);
      return await mayGoOn();
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return false;
      log.warn("what a stream is open by could not be asked for again", { error });
      return true;
    }
  };
}

/** What waits for a reader that has stalled is dropped with its connection. */
class StalledError extends Error {
  override name = "StalledError";
  override message = "The reader of an event stream takes nothing.";
}

const hasRoom = (controller: ReadableStreamDefaultController<Uint8Array>) =>
  (controller.desiredSize ?? 0) > 0;

/** A JSON text without what ends a line of a stream: a carriage return can stand between its parts alone, where it is a space. */
const onOneLine = (json: string): string => (json.includes("\r") ? json.replaceAll("\r", " ") : json);

/** Where a piece ends that begins at `at`; never between the halves of a surrogate pair. */
function pieceEnd(text: string, at: number): number {
  const end = Math.min(text.length, at + PIECE);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/** A client that went away has closed its stream already. */
function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
