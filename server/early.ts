import type { Server } from "bun";
import { version } from "../package.json" with { type: "json" };
import { commonHeaders } from "./http/common-headers.ts";
import { systemClock } from "./platform/clock.ts";
import { createIds } from "./platform/ids.ts";

type Fetch = (request: Request, server: Server<undefined>) => Response | Promise<Response>;

/** A socket that was opened before the program behind it was loaded. */
interface EarlySocket {
  host: string;
  port: number;
  server: Server<undefined>;
  /** From now on this answers, requests that wait included. */
  handOver(fetch: Fetch): void;
}

let early: EarlySocket | null = null;

/** Routes bound what they read themselves, so that a refusal carries the error body. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
const IDLE_SECONDS = 30;
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** How long loading waits for a first request: it keeps the thread busy for longer than that. */
const FIRST_REQUEST_MS = 10;

/** What every socket of the server has in common. */
export function openSocket(host: string, port: number, fetch: Fetch): Server<undefined> {
  return Bun.serve({
    hostname: host.replace(/^\[|\]$/g, ""),
    port,
    // Otherwise a second server on the same port starts without a word.
    reusePort: false,
    // Otherwise errors are answered with source code.
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch,
  });
}

/**
 * For `serve`: opens the socket before the program is loaded. Until then `/health` is answered to local callers and all
 * other requests wait. Whatever does not fit (a bad option, a port in use) is left to the program itself to tell.
 */
export async function listenEarly(args: string[], env: Record<string, string | undefined>): Promise<void> {
  if (args[0] !== "serve" || args.includes("--help") || args.includes("-h")) return;
  const host = optionOf(args, "--host") ?? (env.TRACEDECK_HOST || "127.0.0.1");
  const port = optionOf(args, "--port") ?? (env.TRACEDECK_PORT || "4173");
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return;
  const ids = createIds(systemClock);
  const { promise: program, resolve: handOver } = Promise.withResolvers<Fetch>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const answer: Fetch = async (request, server) => {
    ask();
    if (isHealthCheck(request))
      return Response.json({ status: "ok", version }, { headers: commonHeaders(ids.uuid()) });
    return (await program)(request, server);
  };
  try {
    early = { host, port: Number(port), server: openSocket(host, Number(port), answer), handOver };
  } catch {
    return;
  }
  await Promise.race([asked, systemClock.sleep(FIRST_REQUEST_MS)]);
  // An answer leaves at the end of its turn.
  await systemClock.sleep(1);
}

/** The early socket of that address, now answered by `fetch`; null when there is none. One of another address is closed. */
export function takeEarlySocket(host: string, port: number, fetch: Fetch): Server<undefined> | null {
  const socket = early;
  early = null;
  if (!socket) return null;
  if (socket.host !== host || socket.port !== port) {
    void socket.server.stop(true);
    return null;
  }
  socket.server.reload({ fetch });
  socket.handOver(fetch);
  return socket.server;
}

/** Gives an early socket up that the program has not taken: it would keep the process alive. */
export function closeEarlySocket(): void {
  void early?.server.stop(true);
  early = null;
}

function isHealthCheck(request: Request): boolean {
  if (request.method !== "GET" || !LOCAL.test(request.headers.get("host") ?? "")) return false;
  return request.url.endsWith("/health") && new URL(request.url).pathname === "/health";
}

function optionOf(args: string[], name: string): string | undefined {
  const at = args.findLastIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at === -1) return undefined;
  return args[at] === name ? args[at + 1] : args[at]!.slice(name.length + 1);
}
