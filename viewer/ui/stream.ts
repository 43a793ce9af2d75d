import { ApiError, send } from "../api/request.ts";
import { isDealtWith } from "./failing.ts";
import { whileVisible } from "./visible.ts";

export interface Listener {
  onOpen?: () => void;
  onMessage: (data: string) => void;
  /** The connection is lost or was refused. It is made anew unless the listener ends here. */
  onLost?: () => void;
}

/** After a refusal; the last holds for all further ones. */
const PAUSES_MS = [500, 1000, 2000, 5000, 15_000, 30_000];
const NOT_FINAL = new Set([408, 425, 429]);

/** Whether asking once more would be answered the same. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status >= 400 && error.status < 500 && !NOT_FINAL.has(error.status);
}

/** @throws ApiError what the server has against the stream, which an EventSource does not tell */
async function askWhy(url: string, signal: AbortSignal): Promise<void> {
  const answer = await send(url, { signal, headers: { accept: "text/event-stream" } });
  await answer.body?.cancel();
}

/**
 * Reads a stream of server-sent events while the window can be seen, until the returned function is called. The browser
 * makes a broken connection anew; one that was refused, which the browser gives up, is made anew here.
 * @param url asked whenever it is opened: a stream that can go on where it was says so there
 */
export function openStream(url: () => string, { onOpen, onMessage, onLost }: Listener): () => void {
  let stream: EventSource | null = null;
  /** Set from a refusal until the stream is opened again. */
  let waiting: AbortController | null = null;
  let refusals = 0;

  function open(): void {
    if (stream || waiting) return;
    const opened = new EventSource(url());
    stream = opened;
    opened.onopen = () => {
      refusals = 0;
      onOpen?.();
    };
    opened.onmessage = ({ data }: MessageEvent<string>) => onMessage(data);
    opened.onerror = () => {
      onLost?.();
      if (stream === opened && opened.readyState === EventSource.CLOSED) void openLater();
    };
  }

  async function openLater(): Promise<void> {
    stream = null;
    waiting = new AbortController();
    const { signal } = waiting;
    try {
      await askWhy(url(), signal);
    } catch (error) {
      // What is final is asked for again when the window is seen again.
      if (isDealtWith(error) || isFinal(error)) return;
    }
    if (signal.aborted) return;
    const pause = PAUSES_MS[Math.min(refusals, PAUSES_MS.length - 1)];
    refusals += 1;
    const timer = setTimeout(() => {
      waiting = null;
      open();
    }, pause);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }

  function close(): void {
    stream?.close();
    stream = null;
    waiting?.abort();
    waiting = null;
  }

  return whileVisible(open, close);
}

interface Shared {
  listeners: Set<Listener>;
  isOpen: boolean;
  end: () => void;
}

const streams = new Map<string, Shared>();

/** Makes the one stream of an address that all its listeners have. */
function share(url: string): Shared {
  const listeners = new Set<Listener>();
  const shared: Shared = { listeners, isOpen: false, end: () => {} };
  streams.set(url, shared);
  shared.end = openStream(() => url, {
    onOpen() {
      shared.isOpen = true;
      for (const { onOpen } of [...listeners]) onOpen?.();
    },
    onMessage(data) {
      for (const { onMessage } of [...listeners]) onMessage(data);
    },
    onLost() {
      shared.isOpen = false;
      for (const { onLost } of [...listeners]) onLost?.();
    },
  });
  return shared;
}

/** Listens to a stream until the returned function is called. Whoever listens to the same address on this page has the same connection. */
export function listen(url: string, listener: Listener): () => void {
  const shared = streams.get(url) ?? share(url);
  // The same functions may listen twice.
  const own = { ...listener };
  shared.listeners.add(own);
  if (shared.isOpen) queueMicrotask(() => shared.listeners.has(own) && own.onOpen?.());
  return () => {
    shared.listeners.delete(own);
    if (shared.listeners.size > 0 || streams.get(url) !== shared) return;
    streams.delete(url);
    shared.end();
  };
}
