import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { readJson } from "../http/body.ts";
import { AppError, invalid } from "../http/errors.ts";
import { originOf, publicOriginOf, refuseForeignOrigin } from "../http/guard.ts";
import { authMacro, challenged } from "../identity/auth.ts";
import { mcpChallenge } from "../identity/oauth/metadata.ts";
import { createDiffs } from "../trace/diffs/service.ts";
import type { Caller } from "./caller.ts";
import { scopesToAsk } from "./step-up.ts";

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

  const challenge = (request: Request) =>
    mcpChallenge(originOf(request, deps.config), {
      ...(request.headers.has("authorization") ? { error: "invalid_token" } : {}),
    });

  return new Elysia({ name: "agents" }).use(authMacro(deps)).post(
    "/mcp",
    async ({ actor, request }) => {
      refuseForeignOrigin(request, deps.config.publicUrl);
      if (actor.type === "session") throw challenged(NO_SESSIONS, challenge(request));
      const message = await readMessage(request);
      const { answer, tools } = await handler();
      const scopes = scopesToAsk(tools, actor, message);
      if (scopes) throw insufficient(scopes, originOf(request, deps.config));
      return answer(request, message, {
        actor,
        publicOrigin: publicOriginOf(request, deps.config),
        origin: originOf(request, deps.config),
        signal: request.signal,
      });
    },
    { auth: { scope: null, limit: "read", challenge }, parse: "none", detail: { hide: true } },
  );
}

/** The package is loaded when the first agent comes: a server that nobody of them visits starts without it. */
async function createHandler(deps: Deps) {
  const [{ createMcpHandler }, { createAgentServer }, { TOOLS }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./server.ts"),
    import("./tools/all.ts"),
  ]);
  const callers = new WeakMap<Request, Caller>();
  const diffs = createDiffs(deps);
  const mcp = createMcpHandler(({ requestInfo }) => createAgentServer(deps, callers.get(requestInfo!)!), {
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    onerror: (error) => deps.log.debug("an agent's message was refused", { error }),
  });
  deps.hub.closing.addEventListener("abort", () => void mcp.close(), { once: true });
  return {
    tools: TOOLS,
    answer(request: Request, message: object, caller: Omit<Caller, "diffs">): Promise<Response> {
      callers.set(request, { ...caller, diffs });
      return mcp.fetch(request, { parsedBody: message });
    },
  };
}

/** Cookies are for pages (specification, monitoring API, section 5). */
const NO_SESSIONS =
  "Session cookies are not taken at /mcp: send an API key or an OAuth access token (Authorization: Bearer …).";

/** A 403 that tells a client to ask the person for more (RFC 6750, section 3.1). */
function insufficient(scopes: readonly string[], origin: string): AppError {
  return new AppError(
    "insufficient_scope",
    `This needs more than was granted: ask for the scopes ${scopes.join(" ")}.`,
    { headers: { "www-authenticate": mcpChallenge(origin, { error: "insufficient_scope", scopes }) } },
  );
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
