import type { AnyElysia, DocumentDecoration } from "elysia";
import { AppError, ERROR_STATUS } from "./errors.ts";

/** How a part of the API answers what goes wrong. A route names it in its detail, as `x-dialect`; without, it is `trace`. */
export type Dialect = "trace" | "monitoring" | "oauth";

/** What input that cannot be used is called (decisions, section 4). */
const UNUSABLE = {
  trace: "invalid_request",
  monitoring: "validation_failed",
  oauth: "invalid_request",
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

/** Finds the dialect that the route of a request answers in; `trace` where no route takes the request. */
export function createDialectFinder(app: () => AnyElysia): (method: string, path: string) => Dialect {
  let patterns: Pattern[] | null = null;
  return (method, path) => {
    // Read late: the routes are complete when the first request comes.
    patterns ??= app()
      .routes.map(toPattern)
      .sort((a, b) => (a.rank < b.rank ? -1 : 1));
    return patterns.find((one) => one.method === method && one.expression.test(path))?.dialect ?? "trace";
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
