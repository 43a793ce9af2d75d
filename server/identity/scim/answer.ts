import { noteScimError } from "../../../store/records/scim-settings.ts";
import type { Deps } from "../../deps.ts";
import { SCIM_BASE, SCIM_TYPE } from "../../http/dialect.ts";
import { AppError } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import type { Actor } from "../actor.ts";
import { namesTag, type ScimCall, type Tagged } from "./context.ts";
import type { Json } from "./evaluate.ts";
import type { ListQuery } from "./list.ts";
import { project, readProjection } from "./projection.ts";
import type { Shape } from "./shape.ts";

interface Call {
  request: Request;
  path: string;
  actor: Actor;
}

export interface ScimAnswer {
  status: 200 | 201 | 204 | 304;
  body?: Json;
  etag?: string;
  location?: string;
}

const DAY_MS = 24 * 60 * 60_000;
/** Errors of an org that are kept. */
export const MAX_ERRORS = 100;
export const ERRORS_SINCE_MS = DAY_MS;

/** Under which address SCIM is reached, as a request has reached it. */
export const scimBase = ({ config }: Pick<Deps, "config">, request: Request): string =>
  `${config.publicUrl?.replace(/\/$/, "") ?? new URL(request.url).origin}${SCIM_BASE}`;

/** Carries out one request of a directory. What is refused is kept for the page that shows how provisioning goes. */
export async function answerScim(
  deps: Deps,
  { request, path, actor }: Call,
  work: (call: ScimCall) => Promise<ScimAnswer>,
): Promise<Response> {
  const base = scimBase(deps, request);
  try {
    const answer = await work({ deps, actor, base, ifMatch: request.headers.get("if-match") });
    return toResponse(answer);
  } catch (error) {
    if (error instanceof AppError && isWorthKnowing(error, request))
      await note(deps, actor, request, path, error);
    throw error;
  }
}

/** A directory asks for what may not be there. */
const isWorthKnowing = ({ status }: AppError, { method }: Request) => !(status === 404 && method === "GET");

async function note(
  deps: Deps,
  { orgId }: Actor,
  { method }: Request,
  path: string,
  { status, message }: AppError,
): Promise<void> {
  const at = deps.clock.now();
  const row = {
    id: deps.ids.uuid(),
    org_id: orgId,
    at,
    method,
    path: path.slice(0, 200),
    status,
    detail: message.slice(0, 500),
  };
  try {
    await commit(deps, (trx) => noteScimError(trx, row, { since: at - ERRORS_SINCE_MS, most: MAX_ERRORS }));
  } catch (error) {
    deps.log.error("a refused request of a directory could not be kept", { error });
  }
}

function toResponse({ status, body, etag, location }: ScimAnswer): Response {
  const headers: Record<string, string> = { "cache-control": "no-store", "content-type": SCIM_TYPE };
  if (etag !== undefined) headers.etag = etag;
  if (location !== undefined) headers.location = location;
  if (body !== undefined) return Response.json(body, { status, headers });
  delete headers["content-type"];
  return new Response(null, { status, headers });
}

/** A resource with its tag, as much of it as was asked for; 304 when the client has it already. */
export function shown(
  { resource, etag }: Tagged,
  status: 200 | 201,
  { shape, query, request }: { shape: Shape; query: ListQuery; request: Request },
): ScimAnswer {
  const has = request.method === "GET" ? request.headers.get("if-none-match") : null;
  if (has !== null && namesTag(has, etag)) return { status: 304, etag };
  const location = (resource.meta as { location: string }).location;
  return { status, body: project(resource, readProjection(shape, query)), etag, location };
}
