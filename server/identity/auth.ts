import { type DocumentDecoration, Elysia } from "elysia";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "../http/body.ts";
import { AppError } from "../http/errors.ts";
import { originOf, refuseRepeatedParameters } from "../http/guard.ts";
import type { RatePolicy } from "../http/rate-limits.ts";
import type { Actor } from "./actor.ts";
import { toActor, unauthorized } from "./credentials.ts";
import type { Scope } from "./scopes.ts";
import { sessionCookie } from "./session-cookie.ts";

/** What a route asks of whoever calls it. */
export interface AuthRequirement {
  /** One of these scopes; null when any credential will do. */
  scope: Scope | readonly Scope[] | null;
  /** `ingest` counts against that limit, and answers a missing scope with 401 (specification, section 5.2). */
  limit?: "ingest";
}

interface Call {
  request: Request;
  path: string;
  set: { headers: Record<string, unknown> };
  server: { requestIP(request: Request): { address: string } | null } | null;
}

/**
 * The route option `auth`: the handler gets `actor`. Runs before the body is read and before anything of the request is
 * validated, so that without a credential nobody learns what a route takes. JSON bodies are read here, up to 1 MiB;
 * a route that reads its body itself says `parse: "none"`.
 */
export function authMacro(deps: Deps) {
  const actors = new WeakMap<Request, Actor>();

  async function authorize(call: Call, requirement: AuthRequirement): Promise<void> {
    const { request, path, set, server } = call;
    if (actors.has(request)) return;
    const credential = await deps.credentials.check(request, path);
    const taken = deps.rateLimits.take(credential.orgId, policyFor(request, requirement));
    set.headers["RateLimit-Policy"] = taken.policy;
    set.headers.RateLimit = taken.state;
    if (!taken.allowed) throw rateLimited(taken.retryAfter);
    if (credential.renewedSession)
      set.headers["set-cookie"] = sessionCookie(credential.renewedSession, isSecure(request, deps.config));
    const actor = toActor(credential, request.headers, server?.requestIP(request)?.address ?? null);
    meet(actor, requirement);
    refuseRepeatedParameters(request.url);
    actors.set(request, actor);
  }

  return new Elysia({ name: "auth" }).macro({
    auth: (requirement: AuthRequirement) => ({
      parse: async ({ request, path, set, server }: Call) => {
        await authorize({ request, path, set, server }, requirement);
        return readBody(request);
      },
      transform: async ({ request, path, set, server }: Call) =>
        authorize({ request, path, set, server }, requirement),
      resolve: ({ request }: { request: Request }) => ({ actor: actors.get(request)! }),
      // Read by the API's description: the option itself does not outlive the route's making.
      detail: { "x-auth": requirement } as DocumentDecoration,
    }),
  });
}

/** Who makes a request of which nobody is asked: null without a good credential. */
export async function optionalActor(
  deps: Pick<Deps, "credentials">,
  request: Request,
  path: string,
): Promise<Actor | null> {
  try {
    return toActor(await deps.credentials.check(request, path), request.headers, null);
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

/** Whether the client came by https, so that its cookie must not travel otherwise. */
export function isSecure(request: Request, config: Pick<Config, "publicUrl">): boolean {
  return originOf(request, config).startsWith("https:");
}

function policyFor(request: Request, requirement: AuthRequirement): RatePolicy {
  if (requirement.limit) return requirement.limit;
  return request.method === "GET" ? "read" : "write";
}

function rateLimited(retryAfter: number): AppError {
  return new AppError("rate_limited", `Too many requests for this org; try again in ${retryAfter} s.`, {
    headers: { "retry-after": String(retryAfter) },
  });
}

function meet(actor: Actor, { scope, limit }: AuthRequirement): void {
  if (scope === null) return;
  try {
    requireScope(actor, scope);
  } catch (error) {
    throw limit === "ingest" ? unauthorized((error as AppError).message) : error;
  }
}

/** @throws AppError `insufficient_scope` when the actor has none of these scopes */
export function requireScope(actor: Pick<Actor, "scopes">, scope: Scope | readonly Scope[]): void {
  const wanted = typeof scope === "string" ? [scope] : scope;
  if (wanted.some((one) => actor.scopes.has(one))) return;
  throw new AppError(
    "insufficient_scope",
    `This needs the scope ${wanted.join(" or ")}, which the credential lacks.`,
  );
}

async function readBody(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) return (await readJson(request)) ?? null;
  if (type === "" || request.headers.get("content-length") === "0" || !request.body) return null;
  throw new AppError("unsupported_media_type", "The body must be JSON, with Content-Type: application/json.");
}
