import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { readJson } from "../http/body.ts";
import { AppError, invalid, unauthorized } from "../http/errors.ts";
import { originOf, publicOriginOf, refuseForeignOrigin } from "../http/guard.ts";
import type { Actor } from "../identity/actor.ts";
import { authMacro } from "../identity/auth.ts";
import { createDiffs } from "../trace/diffs/service.ts";
import type { Caller } from "./caller.ts";

/** Streams that wait for news; nothing here has any. */
const MOST_SUBSCRIPTIONS = 64;

/**
 * MCP over streamable HTTP, without sessions, in both revisions of the protocol: 2025-11-25 and 2026-07-28. A message
 * counts as a read; a tool that writes counts as a write too.
 */
export function agentsRoutes(deps: Deps) {
  let made: ReturnType<typeof createHandler> | null = null;
  const handler = () => {
    made ??= createHandler(deps);
    return made;
  };

  return new Elysia({ name: "agents" }).use(authMacro(deps)).post(
    "/mcp",
    async ({ actor, request }) => {
      refuseForeignOrigin(request, deps.config.publicUrl);
      refuseSession(actor);
      return (await handler()).answer(request, await readMessage(request), {
        actor,
        publicOrigin: publicOriginOf(request, deps.config),
        origin: originOf(request, deps.config),
        signal: request.signal,
      });
    },
    { auth: { scope: null, limit: "read" }, parse: "none", detail: { hide: true } },
  );
}

/** The package is loaded when the first agent comes: a server that nobody of them visits starts without it. */
async function createHandler(deps: Deps) {
  const [{ createMcpHandler }, { createAgentServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./server.ts"),
  ]);
  const callers = new WeakMap<Request, Caller>();
  const diffs = createDiffs(deps);
  const mcp = createMcpHandler(({ requestInfo }) => createAgentServer(deps, callers.get(requestInfo!)!), {
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    onerror: (error) => deps.log.debug("an agent's message was refused", { error }),
  });
  deps.hub.closing.addEventListener("abort", () => void mcp.close(), { once: true });
  return {
    answer(request: Request, message: object, caller: Omit<Caller, "diffs">): Promise<Response> {
      callers.set(request, { ...caller, diffs });
      return mcp.fetch(request, { parsedBody: message });
    },
  };
}

/** Cookies are for pages (specification, monitoring API, section 5). */
function refuseSession(actor: Actor): void {
  if (actor.type === "session")
    throw unauthorized("Session cookies are not taken at /mcp: send an API key (Authorization: Bearer …).");
}

/** @throws AppError `unsupported_media_type`, `body_too_large`, `invalid_request` */
async function readMessage(request: Request): Promise<object> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new AppError(
      "unsupported_media_type",
      "The body must be a JSON-RPC message, with Content-Type: application/json.",
    );
  const message = await readJson(request);
  // Of the revisions that are spoken here none has batches, each of whose calls would have to be counted.
  if (typeof message !== "object" || message === null || Array.isArray(message))
    throw invalid("The body must be one JSON-RPC message; batches are not taken.");
  return message;
}
