import type { AnyElysia } from "elysia";
import type { Config } from "./config.ts";
import { openSocket, takeEarlySocket } from "./early.ts";
import { systemClock } from "./platform/clock.ts";

/** How long requests may take to end after streams and work were stopped. */
const STOP_MS = 5_000;

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

/** Takes no new connection and waits a while for the requests that are under way; then they are cut. */
export async function stopListening(app: AnyElysia): Promise<void> {
  const { server } = app;
  if (!server) return;
  const done = new AbortController();
  const stopped = server.stop().then(() => done.abort());
  await Promise.race([stopped, systemClock.sleep(STOP_MS, done.signal)]);
  if (!done.signal.aborted) await server.stop(true);
}
