import type { AnyElysia, DocumentDecoration } from "elysia";
import { AppError, ERROR_STATUS } from "./errors.ts";

/** How a part of the API answers what goes wrong. A route names it in its detail, as `x-dialect`; without, it is `trace`. */
export type Dialect = "trace" | "monitoring" | "oauth" | "scim";

/** Below this address everything answers as SCIM does, what no route takes too. */
export const SCIM_BASE = "/api/v1/scim/v2";

/** What input that cannot be used is called (decisions, section 4). */
const UNUSABLE = {
  trace: "invalid_request",
  monitoring: "validation_failed",
  oauth: "invalid_request",
  scim: "invalid_request",
} as const;

/** The detail of a route, or of all routes of a plugin, that answers in this dialect. */
export function inDialect(dialect: Dialect): DocumentDecoration {
  return { "x-dialect": dialect } as DocumentDecoration;
}

/** The dialect of a route with this detail. */
export function dialectOf(detail: unknown): Dialect {
  return (detail as { "x-dialect"?: Dialect } | undefined)?.["x-dialect"] ?? "trace";
}

/** The status of input that cannot be used. */
export function unusableStatus(dialect: Dialect): number {
  return ERROR_STATUS[UNUSABLE[dialect]];
}

/** The error as the dialect calls it. */
export function translate(dialect: Dialect, error: AppError): AppError {
  const kind = UNUSABLE[dialect];
  if (error.kind !== "invalid_request" || error.kind === kind) return error;
  return new AppError(kind, error.message, { headers: error.headers });
}

interface Pattern {
  method: string;
  dialect: Dialect;
  expression: RegExp;
  /** Orders patterns as the router tries them: segment by segment, words before parameters before the rest. */
  rank: string;
}

/** Finds the dialect that the route of a request answers in; where no route takes it, `scim` below its address, else `trace`. */
export function createDialectFinder(app: () => AnyElysia): (method: string, path: string) => Dialect {
  let patterns: Pattern[] | null = null;
  return (method, path) => {
    // Read late: the routes are complete when the first request comes.
    patterns ??= app()
      .routes.map(toPattern)
      .sort((a, b) => (a.rank < b.rank ? -1 : 1));
    const found = patterns.find((one) => one.method === method && one.expression.test(path));
    return found?.dialect ?? (path.startsWith(`${SCIM_BASE}/`) ? "scim" : "trace");
  };
}

/** The media type of SCIM's messages (RFC 7644, section 8.1). */
export const SCIM_TYPE = "application/scim+json";
export const SCIM_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

/** An error as SCIM writes it (RFC 7644, section 3.12). */
export function scimErrorBody({ kind, status, message, scimType }: AppError): Record<string, unknown> {
  const type = scimType ?? (kind === "invalid_request" ? "invalidSyntax" : null);
  return {
    schemas: [SCIM_ERROR],
    status: String(status),
    ...(type === null ? {} : { scimType: type }),
    detail: message,
  };
}

function toPattern({ method, path, hooks }: AnyElysia["routes"][number]): Pattern {
  const segments = path.split("/");
  const source = segments.map((segment) => {
    if (segment === "*") return ".*";
    return segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment);
  });
  const rank = segments.map((segment) => (segment === "*" ? "2" : segment.startsWith(":") ? "1" : "0"));
  return {
    method,
    dialect: dialectOf(hooks?.detail),
    expression: new RegExp(`^${source.join("/")}/?$`),
    rank: rank.join(""),
  };
}
