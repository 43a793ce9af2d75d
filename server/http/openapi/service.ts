import type { AnyElysia } from "elysia";
import type { AuthRequirement } from "../../identity/auth.ts";
import { type Dialect, dialectOf, SCIM_TYPE, unusableStatus } from "../dialect.ts";
import { ERROR_STATUS } from "../errors.ts";
import { isPagePath } from "../pages.ts";
import { closeSchema } from "../validation.ts";

type Json = Record<string, unknown>;
type Operation = Json & {
  tags?: string[];
  parameters?: { schema: Json }[];
  requestBody?: { content: Record<string, Json> };
  security?: unknown;
  "x-auth"?: AuthRequirement;
  "x-dialect"?: Dialect;
  responses?: Record<string, Json>;
};
type Paths = Record<string, Record<string, Operation>>;

/**
 * The description of every public operation (OpenAPI 3.1), with what follows from the routes themselves: who may call
 * them, and the errors that any such route can answer.
 */
export async function describeApi(app: AnyElysia, version: string): Promise<Json> {
  // Loaded late: it is not needed to serve, and it is not small.
  const { toOpenAPISchema } = await import("@elysiajs/openapi");
  // Paths with a dot in them are operations here (`report.md`), not files.
  const { paths, components } = toOpenAPISchema(
    withOrdinaryBodies(app),
    { staticFile: false },
    undefined,
    undefined,
    "3.1.0",
  );
  admitNull(paths);
  restoreResponses(app, paths as unknown as Paths);
  for (const [path, operations] of Object.entries(paths as unknown as Paths))
    for (const [method, operation] of Object.entries(operations)) complete(operation, path, method);
  return {
    openapi: "3.1.0",
    info: {
      title: "Tracedeck",
      version,
      description: "Keep, open, search and share the recordings of automated browser runs.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(Object.values(paths as unknown as Paths).flatMap(tagsOf))]
      .sort()
      .map((name) => ({ name })),
    paths,
    components: {
      ...components,
      schemas: {
        ...components.schemas,
        Error: ERROR_SCHEMA,
        OAuthError: OAUTH_ERROR_SCHEMA,
        ScimError: SCIM_ERROR_SCHEMA,
      },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key (product_sk_…), a personal (product_pat_…), a service (product_svc_…) or an OAuth access token (product_oat_…).",
        },
        cookie: { type: "apiKey", in: "cookie", name: "product_session" },
        internal: { type: "apiKey", in: "header", name: "x-internal-token" },
        internal_service: { type: "apiKey", in: "header", name: "internal_service_token" },
      },
    },
  };
}

/** The generator leaves out the body of a route that has a parser function; here all of those read JSON. */
function withOrdinaryBodies(app: AnyElysia): AnyElysia {
  const getGlobalRoutes = () =>
    app.routes.map((route) => ({ ...route, hooks: { ...route.hooks, parse: undefined } }));
  return Object.assign(Object.create(app), { getGlobalRoutes }) as AnyElysia;
}

/** The generator makes "this enum or null" an enum of the type "string or null", which no null would fit. */
function admitNull(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const schema = value as Json;
  const isNullable = Array.isArray(schema.type) && schema.type.includes("null");
  if (isNullable && Array.isArray(schema.enum) && !schema.enum.includes(null))
    schema.enum = [...schema.enum, null];
  for (const member of Object.values(schema)) admitNull(member);
}

/** The generator forgets what a route says of its other answers as soon as it has a schema for one. */
function restoreResponses(app: AnyElysia, paths: Paths): void {
  for (const { method, path, hooks } of app.routes) {
    const said = hooks?.detail?.responses as Record<string, Json> | undefined;
    const operation = paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    if (said && operation) operation.responses = { ...structuredClone(said), ...operation.responses };
  }
}

const ERROR_SCHEMA = {
  type: "object",
  required: ["error", "message"],
  properties: {
    error: { type: "string", enum: Object.keys(ERROR_STATUS) },
    message: { type: "string", description: "What is wrong, where, and what would be right." },
  },
};

const OAUTH_ERROR_SCHEMA = {
  type: "object",
  required: ["error", "error_description"],
  properties: {
    error: { type: "string", description: "A code of RFC 6749, 7591 or 8707." },
    error_description: { type: "string", description: "What is wrong, and what would be right." },
  },
};

/** RFC 7644, section 3.12. */
const SCIM_ERROR_SCHEMA = {
  type: "object",
  required: ["schemas", "status", "detail"],
  properties: {
    schemas: { type: "array", items: { type: "string" } },
    status: { type: "string" },
    scimType: { type: "string" },
    detail: { type: "string" },
  },
};

const SHARED: Record<string, string> = {
  400: "A parameter or the body is not valid.",
  401: "There is no good credential.",
  403: "The credential lacks a scope, or belongs to another org.",
  404: "What the address names does not exist.",
  413: "`body_too_large`: a JSON body may have 1 MiB.",
  415: "`unsupported_media_type`: the body must be application/json.",
  422: "A parameter or the body is not valid.",
  421: "`misdirected_request`: the Host header names another server.",
  429: "Too many requests; `Retry-After` says when to try again.",
  500: "The server failed; the log tells why under `x-request-id`.",
  503: "`unavailable`: the server's disk or database refuses, and the message says in what way: it is full, read-only, fails.",
};

/** Where requests without a credential are limited by their address. */
const LIMITED = /^\/(?:r\/|signin$)/;

/** Adds what follows from the route itself: who may call it, and the errors that any such route can answer. */
function complete(operation: Operation, path: string, method: string): void {
  const requirement = operation["x-auth"];
  const dialect = dialectOf(operation);
  const unusable = unusableStatus(dialect);
  delete operation["x-auth"];
  delete operation["x-dialect"];
  const schemes = requirement?.person
    ? ["cookie"]
    : ["bearer", path.startsWith("/internal/") ? "internal" : "cookie"];
  if (requirement) operation.security ??= schemes.map((name) => ({ [name]: [] }));
  else operation.security ??= [];
  const scopes = requirement?.scope ? [requirement.scope].flat() : [];
  if (scopes.length > 0) operation["x-scopes"] = scopes;
  if (requirement?.role) operation["x-roles"] = requirement.role;
  if (requirement?.orOwn) operation["x-own"] = true;
  if (requirement) operation["x-rate-limit"] = requirement.limit ?? (method === "get" ? "read" : "write");
  for (const parameter of operation.parameters ?? []) parameter.schema = asClientsSee(parameter.schema);
  const json = operation.requestBody?.content["application/json"];
  if (json)
    operation.requestBody!.content = {
      // OAuth ignores fields that it does not know (RFC 7591, section 2).
      "application/json":
        dialect === "oauth" ? json : { ...json, schema: closeSchema(json.schema as object) },
      ...(dialect === "scim" ? { [SCIM_TYPE]: { schema: json.schema } } : {}),
    };
  const takesInput = path.includes("{") || "requestBody" in operation || "parameters" in operation;
  const codes = [
    ...(takesInput ? [unusable] : []),
    ...(requirement ? [401, 403] : []),
    ...(requirement || LIMITED.test(path) ? [429] : []),
    ...(path.includes("{") ? [404] : []),
    ...(json ? [413, 415] : []),
    421,
    500,
    503,
  ];
  const responses: Record<string, Json> = operation.responses ?? {};
  for (const code of codes) responses[code] ??= { description: SHARED[code] };
  for (const [code, response] of Object.entries(responses))
    if (Number(code) >= 400) {
      response.content ??= errorContent(path, dialect);
      if (HEADERS[code]) response.headers ??= HEADERS[code];
    }
  operation.responses = responses;
}

/** Where people look with a browser, errors are pages unless JSON is asked for. */
const PAGE_CONTENT = { "text/html": { schema: { type: "string" } } };

function errorContent(path: string, dialect: Dialect): Json {
  if (dialect === "scim") return { [SCIM_TYPE]: { schema: { $ref: "#/components/schemas/ScimError" } } };
  const content = dialect === "oauth" ? OAUTH_ERROR_CONTENT : ERROR_CONTENT;
  return isPagePath(path) ? { ...PAGE_CONTENT, ...content } : content;
}

const HEADERS: Record<string, Json> = {
  401: { "WWW-Authenticate": { schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds.", required: true, schema: { type: "integer" } } },
};

const ERROR_CONTENT = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

const OAUTH_ERROR_CONTENT = { "application/json": { schema: { $ref: "#/components/schemas/OAuthError" } } };

function tagsOf(operations: Record<string, Operation>): string[] {
  return Object.values(operations).flatMap(({ tags }) => tags ?? []);
}

/**
 * Query parameters are text that the server reads as a number; a client need not know. What it sends is the number.
 */
function asClientsSee(schema: Json): Json {
  const members = schema.anyOf as Json[] | undefined;
  const number = members?.find(({ type }) => type === "integer" || type === "number");
  if (
    !number ||
    !members?.some(({ type, format }) => type === "string" && /^(integer|numeric)$/.test(String(format)))
  )
    return schema;
  const { anyOf: _, ...rest } = schema;
  return { ...number, ...rest };
}
