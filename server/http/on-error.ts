import { type AnyElysia, ValidationError } from "elysia";
import { describeSchema } from "../../store/describe-schema.ts";
import type { Log } from "../platform/log.ts";
import { NetError } from "../platform/net.ts";
import type { ViewerAssets } from "../viewer-assets.ts";
import { AppError, errorBody, invalid, notFound } from "./errors.ts";
import { isPagePath, isPageVisit, noticePage, toSignIn } from "./pages.ts";

interface Failed {
  error: unknown;
  code: unknown;
  request: Request;
  path: string;
  set: { headers: Record<string, unknown> };
}

/** Turns whatever a request ran into to the one form of errors; what is nobody's fault but ours is logged and not told. */
export function createErrorHandler(options: {
  log: Log;
  app: () => AnyElysia;
  viewer: Pick<ViewerAssets, "page">;
}): (failed: Failed) => Response | Promise<Response> {
  return ({ error, code, request, path, set }) => {
    // Nobody is left to read the answer, and nothing went wrong.
    if (request.signal.aborted && error === request.signal.reason) return new Response(null, { status: 499 });
    const requestId = String(set.headers["x-request-id"] ?? "");
    const isVisit = isPageVisit(request, path);
    // Whoever mistyped an address is shown the ways on.
    if (code === "NOT_FOUND" && isVisit && !isPagePath(path))
      return options.viewer.page(request, { isMissing: true }).catch((failure: unknown) => {
        options.log.error("the viewer could not be read", { request_id: requestId, error: failure });
        return respond(notFound("This address"), request, path);
      });
    const answer = toAppError(error, code) ?? unknownRoute(options.app(), code, request, path);
    if (answer?.status === 401 && isVisit) return toSignIn(request);
    if (answer?.kind === "unavailable" && answer.cause !== undefined)
      options.log.error(answer.message, { request_id: requestId, error: answer.cause });
    if (answer) return respond(inTermsOf(path, answer), request, path);
    options.log.error("request failed", { request_id: requestId, method: request.method, path, error });
    const message = `The server failed; its log tells why under the request id ${requestId}.`;
    return respond(new AppError("internal", message), request, path);
  };
}

/** The nouns of the monitoring API, which calls unusable input 422 where the trace API calls it 400 (decisions, section 4). */
const MONITORING = /^\/v1\/(?:runs|scenarios|shadow-diff)(?:\/|$)/;

function inTermsOf(path: string, error: AppError): AppError {
  if (error.kind !== "invalid_request" || !MONITORING.test(path)) return error;
  return new AppError("validation_failed", error.message, { headers: error.headers });
}

function toAppError(error: unknown, code: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (error instanceof NetError) return new AppError(error.kind, error.message);
  if (error instanceof ValidationError) return describeValidation(error);
  if (code === "PARSE") {
    const cause = (error as Error).cause;
    return cause instanceof AppError ? cause : invalid("The body cannot be read.");
  }
  return null;
}

function describeValidation(error: ValidationError): AppError | null {
  // An answer that breaks its own schema is our mistake, not the client's.
  if (error.type === "response") return null;
  const { path = "", schema } = error.valueError ?? {};
  const name = path.slice(1).replaceAll("/", ".");
  if (error.type === "params" && (name === "id" || /(_id|Id)$/.test(name)))
    return notFound("What this address names");
  const where = WHERE[error.type] ?? `The ${error.type}`;
  if (name === "")
    return invalid(
      `${where === WHERE.body ? "The body" : where} must be ${schema ? describeSchema(schema) : "valid"}.`,
    );
  if (error.valueError?.value === undefined) return invalid(`${where} "${printable(name)}" is missing.`);
  if (schema && "not" in schema) return invalid(`${where} "${printable(name)}" is not known here.`);
  return invalid(`${where} "${printable(name)}" must be ${schema ? describeSchema(schema) : "valid"}.`);
}

const WHERE: Record<string, string> = {
  query: "The query parameter",
  body: "The body's field",
  params: "The path parameter",
  headers: "The header",
  cookie: "The cookie",
};

/** Names come from the client when they are those of unknown fields. */
function printable(name: string): string {
  return name.replace(/[^\w.-]/g, "?").slice(0, 64);
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

function unknownRoute(app: AnyElysia, code: unknown, request: Request, path: string): AppError | null {
  if (code !== "NOT_FOUND") return null;
  const allowed = METHODS.filter((method) => hasRoute(app, method === "HEAD" ? "GET" : method, path));
  if (allowed.length === 0 || allowed.includes(request.method)) return notFound("This address");
  const list = allowed.join(", ");
  return new AppError("method_not_allowed", `This address takes ${list}.`, { headers: { allow: list } });
}

function hasRoute(app: AnyElysia, method: string, path: string): boolean {
  const { static: fixed, http } = app.router;
  const exact = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return fixed[exact]?.[method] !== undefined || http.find(method, path) !== null;
}

function respond(error: AppError, request: Request, path: string): Response {
  // What is left of a body that nobody reads would hold the connection, and a server that wants to stop.
  const isUnread = error.status === 413 || (request.body !== null && !request.bodyUsed);
  const headers = isUnread ? { ...error.headers, connection: "close" } : error.headers;
  const isForReader = isPagePath(path) && !request.headers.get("accept")?.includes("application/json");
  if (isForReader || isPageVisit(request, path)) {
    const page = noticePage(error.status, TITLES[error.status] ?? "This did not work", error.message);
    for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
    return page;
  }
  return Response.json(errorBody(error.kind, error.message), {
    status: error.status,
    headers: { "cache-control": "no-store", ...headers },
  });
}

const TITLES: Record<number, string> = {
  401: "Please sign in",
  404: "There is nothing here",
  421: "This is another address",
  500: "Something went wrong",
};
