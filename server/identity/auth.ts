import type { TSchema } from "@sinclair/typebox";
import { type DocumentDecoration, Elysia } from "elysia";
import type { Role } from "../../store/records/schema.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "../http/body.ts";
import { AppError, unauthorized } from "../http/errors.ts";
import { isSecure, refuseRepeatedParameters } from "../http/guard.ts";
import { limitHeaders, type RatePolicy, rateLimited } from "../http/rate-limits.ts";
import { createBodyCheck } from "../http/validation.ts";
import type { Actor } from "./actor.ts";
import type { Credential } from "./credentials/credential.ts";
import { toActor } from "./credentials/named-org.ts";
import type { AgentScope, Scope } from "./scopes.ts";
import { sessionCookie } from "./session-cookie.ts";

/** What a route asks of whoever calls it. */
export interface AuthRequirement {
  /** One of these scopes; null when any credential will do, or any person who is signed in: a role alone is no limit for a token. */
  scope: Scope | readonly Scope[] | null;
  /** What an agent that acts by OAuth has to have besides. */
  agentScope?: AgentScope;
  /** The person behind the credential has one of these roles in the org; nobody's key has one. */
  role?: readonly Role[];
  /** Persons need no scope for what is their own: the route sees to it that they reach nothing else. */
  orOwn?: true;
  /** A person who is signed in: no key and no token, whatever its scopes. */
  person?: true;
  /** Counts against this limit instead of the one of its method. */
  limit?: RatePolicy;
  /** A missing scope is answered with 401 (specification, section 5.2: ingest of traces). */
  withoutScope?: 401;
  /** `WWW-Authenticate` of a 401, where it says more than `Bearer`. */
  challenge?: (request: Request) => string;
}

interface Call {
  request: Request;
  path: string;
  set: { headers: Record<string, unknown> };
}

/**
 * The route option `auth`: the handler gets `actor`, and `stillMay`, which asks the same of whoever sends such a
 * request later. Runs before the body is read and before anything of the request is validated, so that without a
 * credential nobody learns what a route takes. JSON bodies are read here, up to 1 MiB, and checked whole against the
 * route's `body`; a route without one ignores what is sent, and one that reads its body itself says `parse: "none"`.
 * With null nobody is asked, and there is no actor.
 */
export function authMacro(deps: Deps) {
  const actors = new WeakMap<Request, Actor>();

  async function authorize(call: Call, requirement: AuthRequirement | null): Promise<void> {
    const { request, set } = call;
    if (!requirement || actors.has(request)) return;
    const credential = await requireCredential(deps, call, requirement);
    const taken = deps.rateLimits.take(
      countedOrg(credential, request.headers),
      policyFor(request, requirement),
    );
    if (!taken.allowed) throw rateLimited("requests for this org", taken);
    Object.assign(set.headers, limitHeaders(taken));
    if (credential.renewedSession)
      set.headers["set-cookie"] = sessionCookie(credential.renewedSession, isSecure(request, deps.config));
    const actor = toActor(credential, request.headers, deps.addressOf(request));
    meet(actor, requirement);
    refuseRepeatedParameters(request.url);
    actors.set(request, actor);
  }

  return new Elysia({ name: "auth" }).macro({
    auth: (requirement: AuthRequirement | null) => {
      let checkBody: BodyCheck | null = null;
      return {
        introspect: (route: { body?: unknown }) => {
          if (route.body) checkBody = createBodyCheck(route.body as TSchema);
        },
        parse: async ({ request, path, set }: Call) => {
          await authorize({ request, path, set }, requirement);
          return checkBody ? readBody(request, checkBody) : null;
        },
        transform: async ({ request, path, set }: Call) => authorize({ request, path, set }, requirement),
        resolve: ({ request, path }: { request: Request; path: string }) => ({
          actor: actors.get(request)!,
          stillMay: requirement && ((asked: Request) => askAgain(deps, asked, path, requirement)),
        }),
        // Read by the API's description: the option itself does not outlive the route's making.
        detail: (requirement ? { "x-auth": requirement } : {}) as DocumentDecoration,
      };
    },
  });
}

/** @throws AppError when the credential is good no more, stands for the org no more, or may not call the route any more */
async function askAgain(
  deps: Pick<Deps, "credentials">,
  asked: Request,
  path: string,
  requirement: AuthRequirement,
): Promise<void> {
  const credential = await deps.credentials.check(asked, path);
  if (!credential) throw unauthorized("The credential is gone.");
  meet(toActor(credential, asked.headers, null), requirement);
}

/** @throws AppError `unauthorized`, or `rate_limited` where too many credentials from that address were no good */
async function requireCredential(
  deps: Deps,
  { request, path, set }: Call,
  { challenge }: AuthRequirement,
): Promise<Credential> {
  const refused = (error: AppError) => (challenge ? challenged(error.message, challenge(request)) : error);
  try {
    const credential = await deps.credentials.check(request, path);
    if (credential) return credential;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unauthorized") throw error;
    Object.assign(set.headers, deps.anonymousLimits.take("failed_authentication", request));
    throw refused(error);
  }
  throw refused(unauthorized("This needs an API key (Authorization: Bearer …) or a signed-in session."));
}

/** A 401 that tells how to ask for a credential. */
export function challenged(message: string, challenge: string): AppError {
  return new AppError("unauthorized", message, { headers: { "www-authenticate": challenge } });
}

/**
 * Who makes a request of which nobody is asked: null without a good credential.
 * @param orgId the org of what is asked for: a session stands for it where its person belongs to it
 */
export async function optionalActor(
  deps: Pick<Deps, "credentials">,
  request: Request,
  path: string,
  orgId?: string,
): Promise<Actor | null> {
  try {
    const credential = await deps.credentials.check(request, path);
    if (!credential) return null;
    const isTheirs =
      orgId !== undefined && credential.principal.type === "session" && credential.orgs.has(orgId);
    return toActor(isTheirs ? { ...credential, orgId } : credential, request.headers, null);
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

/** The org whose limit a request counts against: the one that it is for, or the credential's own where it may not stand for that. */
function countedOrg({ orgId, orgs }: Credential, headers: Headers): string {
  const named = headers.get("x-org-id") ?? headers.get("x-product-org");
  return named !== null && orgs.has(named) ? named : orgId;
}

function policyFor(request: Request, requirement: AuthRequirement): RatePolicy {
  if (requirement.limit) return requirement.limit;
  return request.method === "GET" ? "read" : "write";
}

function meet(actor: Actor, requirement: AuthRequirement): void {
  const { scope, agentScope, role, orOwn, person, withoutScope } = requirement;
  if (person) requirePerson(actor);
  if (agentScope && actor.type === "oauth") requireScope(actor, agentScope);
  if (role) requireRole(actor, role);
  if (scope === null || (orOwn && isPerson(actor))) return;
  try {
    requireScope(actor, scope);
  } catch (error) {
    throw withoutScope === 401 ? unauthorized((error as AppError).message) : error;
  }
}

/** Whether somebody acts as a person: signed in, or by a personal access token. */
export function isPerson(actor: Actor): actor is Actor & { userId: string } {
  return actor.type === "session" || actor.type === "pat";
}

/** @throws AppError `forbidden` when the actor is nobody with one of these roles */
export function requireRole(actor: Pick<Actor, "role">, roles: readonly Role[]): void {
  if (actor.role !== null && roles.includes(actor.role)) return;
  const theirs = actor.role === null ? "this credential is no person's" : `yours is ${actor.role}`;
  throw new AppError("forbidden", `This needs the role ${roles.join(" or ")} in the org; ${theirs}.`);
}

/** @throws AppError `forbidden` when the actor is not a session of a person */
function requirePerson(actor: Actor): void {
  if (actor.type !== "session")
    throw new AppError("forbidden", "This needs a person who is signed in: keys and tokens cannot do it.");
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

type BodyCheck = (body: unknown) => void;

async function readBody(request: Request, check: BodyCheck): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isJson = type === "application/json" || type.endsWith("+json");
  const isEmpty = type === "" || request.headers.get("content-length") === "0" || !request.body;
  if (!isJson && !isEmpty)
    throw new AppError(
      "unsupported_media_type",
      "The body must be JSON, with Content-Type: application/json.",
    );
  const body = isJson ? ((await readJson(request)) ?? null) : null;
  check(body);
  return body;
}
