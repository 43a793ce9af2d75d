import type { AnyElysia } from "elysia";
import type { Config } from "./config.ts";
import { openSocket, takeEarlySocket } from "./early.ts";
import { systemClock } from "./platform/clock.ts";
import type { Hub } from "./platform/hub.ts";

/** How long requests may take to end after streams and work were stopped. */
const STOP_MS = 5_000;
/** How long readers of event streams may take for what waits for them. */
const READ_MS = 500;
const LOOK_MS = 20;

/** The server cannot listen where it was told to; the message says what to do. */
export class ListenError extends Error {
  override name = "ListenError";
}

/**
 * Opens the socket and returns its port.
 * @throws ListenError
 */
export function listen(app: AnyElysia, config: Config): number {
  const { host, port } = config;
  const { fetch } = app;
  try {
    app.server = takeEarlySocket(host, port, fetch) ?? openSocket(host, port, fetch);
  } catch (error) {
    throw new ListenError(explainListen(error, config));
  }
  return app.server.port!;
}

function explainListen(error: unknown, { host, port }: Config): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use by another program. Stop that one, or choose a port with --port (0 takes a free one).`;
  if (code === "EACCES")
    return `Port ${port} on ${host} may not be used by this account: choose another with --port.`;
  return `Cannot listen on ${host}:${port}: ${message}.`;
}

/**
 * Takes no new connection and waits a while for the requests that are under way; then they are cut. Who has not sent a whole request head
 * is not waited for, and streams that ended are only as long as a reader needs who reads.
 * @param unreadStreams how many event streams have ended and still wait for their readers
 */
export async function stopListening(
  app: AnyElysia,
  { unreadStreams }: Pick<Hub, "unreadStreams">,
): Promise<void> {
  const { server } = app;
  if (!server) return;
  const done = new AbortController();
  // It waits for open connections, not for requests alone.
  const stopped = server.stop().then(() => done.abort());
  const begun = systemClock.monotonic();
  while (!done.signal.aborted) {
    const waited = systemClock.monotonic() - begun;
    if (waited > STOP_MS || server.pendingRequests === 0) break;
    if (waited > READ_MS && server.pendingRequests <= unreadStreams()) break;
    await Promise.race([stopped, systemClock.sleep(LOOK_MS, done.signal)]);
  }
  if (!done.signal.aborted) await server.stop(true);
}
