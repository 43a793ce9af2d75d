import { type AnyElysia, ValidationError } from "elysia";
import { storageFault } from "../../store/storage-faults.ts";
import type { Log } from "../platform/log.ts";
import { NetError } from "../platform/net.ts";
import type { ViewerAssets } from "../viewer-assets.ts";
import { createDialectFinder, type Dialect, SCIM_TYPE, scimErrorBody, translate } from "./dialect.ts";
import { AppError, errorBody, invalid, notFound } from "./errors.ts";
import { oauthErrorBody } from "./oauth-error.ts";
import { isPagePath, isPageVisit, noticePage, toSignIn } from "./pages.ts";
import { describeProblem } from "./validation.ts";

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
  const dialectAt = createDialectFinder(options.app);
  return ({ error, code, request, path, set }) => {
    // Nobody is left to read the answer, and nothing went wrong.
    if (request.signal.aborted && error === request.signal.reason) return new Response(null, { status: 499 });
    const requestId = String(set.headers["x-request-id"] ?? "");
    const isVisit = isPageVisit(request, path);
    const dialect = dialectAt(request.method, path);
    const refuse = (error: AppError) => respond(translate(dialect, error), request, path, dialect);
    // Whoever mistyped an address is shown the ways on.
    if (code === "NOT_FOUND" && isVisit && !isPagePath(path))
      return options.viewer.page(request, { isMissing: true }).catch((failure: unknown) => {
        options.log.error("the viewer could not be read", { request_id: requestId, error: failure });
        return refuse(notFound("This address"));
      });
    const found = toAppError(error, code) ?? unknownRoute(options.app(), code, request, path);
    const isOfMethod = found !== null && UNUSABLE.has(found.status);
    const answer = isOfMethod ? (hiddenRoute(options.app(), request, path) ?? found) : found;
    if (answer?.status === 401 && isVisit) return toSignIn(request);
    if (answer?.kind === "unavailable" && answer.cause !== undefined)
      options.log.error(answer.message, { request_id: requestId, error: answer.cause });
    if (answer) return refuse(answer);
    const fault = storageFault(error);
    if (fault) {
      options.log.error("the store refused a request", { request_id: requestId, path, error });
      return refuse(new AppError("unavailable", `${fault}.`));
    }
    const { method } = request;
    options.log.error("request failed", { request_id: requestId, method, path, error: withoutValues(error) });
    const message = `The server failed; its log tells why under the request id ${requestId}.`;
    return refuse(new AppError("internal", message));
  };
}

/** Where an answer breaks its schema, and not what it holds: that may be a secret which is shown once. */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error;
  const { path, message } = error.valueError ?? {};
  return new Error(`The ${error.type} breaks its schema at "${path ?? ""}": ${message ?? ""}.`);
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
  const name = error.valueError?.path.slice(1) ?? "";
  if (error.type === "params" && (name === "id" || /(_id|Id)$/.test(name)))
    return notFound("What this address names");
  return describeProblem(error.type, error.valueError);
}

/** What a route answers that took the words of an operation for an id. */
const UNUSABLE = new Set([400, 404, 422]);

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

function unknownRoute(app: AnyElysia, code: unknown, request: Request, path: string): AppError | null {
  if (code !== "NOT_FOUND") return null;
  const hidden = hiddenRoute(app, request, path);
  if (hidden) return hidden;
  const allowed = METHODS.filter((method) => hasRoute(app, method === "HEAD" ? "GET" : method, path));
  if (allowed.length === 0 || allowed.includes(request.method)) return notFound("This address");
  return wrongMethod(allowed);
}

/**
 * A path that is an operation by its very words, such as `/v1/traces/ingest`, and that a route with a parameter in their
 * place took for the name of something: there is nothing of that name, so that what is wrong is the method.
 */
function hiddenRoute(app: AnyElysia, request: Request, path: string): AppError | null {
  const allowed = METHODS.filter((method) => isFixed(app, method === "HEAD" ? "GET" : method, path));
  return allowed.length === 0 || allowed.includes(request.method) ? null : wrongMethod(allowed);
}

function wrongMethod(allowed: string[]): AppError {
  const list = allowed.join(", ");
  return new AppError("method_not_allowed", `This address takes ${list}.`, { headers: { allow: list } });
}

function hasRoute(app: AnyElysia, method: string, path: string): boolean {
  return isFixed(app, method, path) || app.router.http.find(method, path) !== null;
}

function isFixed(app: AnyElysia, method: string, path: string): boolean {
  const exact = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return app.router.static[exact]?.[method] !== undefined;
}

function respond(error: AppError, request: Request, path: string, dialect: Dialect): Response {
  // What is left of a body that nobody reads would hold the connection, and a server that wants to stop.
  const isUnread = error.status === 413 || (request.body !== null && !request.bodyUsed);
  const headers = isUnread ? { ...error.headers, connection: "close" } : error.headers;
  const help = `/docs/errors#${error.kind}`;
  if (dialect === "scim")
    return Response.json(scimErrorBody(error), {
      status: error.status,
      headers: { "cache-control": "no-store", "content-type": SCIM_TYPE, ...headers },
    });
  const isForReader = isPagePath(path) && !request.headers.get("accept")?.includes("application/json");
  if (isForReader || isPageVisit(request, path)) {
    const page = noticePage(error.status, TITLES[error.status] ?? "This did not work", error.message, help);
    for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
    return page;
  }
  const body = dialect === "oauth" ? oauthErrorBody(error) : errorBody(error.kind, error.message);
  return Response.json(body, {
    status: error.status,
    headers: { "cache-control": "no-store", link: `<${help}>; rel="help"`, ...headers },
  });
}

const TITLES: Record<number, string> = {
  401: "Please sign in",
  404: "There is nothing here",
  429: "Too many requests",
  503: "This does not work right now",
  421: "This is another address",
  500: "Something went wrong",
};
