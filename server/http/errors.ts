/** Every error code an answer may carry, with its usual status (decisions, section 4). */
export const ERROR_STATUS = {
  invalid_request: 400,
  validation_failed: 422,
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  wrong_org: 403,
  signature_invalid: 403,
  delivery_stale: 422,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  invalid_transition: 409,
  url_not_allowed: 400,
  not_hot: 409,
  bundle_unreadable: 400,
  blob_mismatch: 400,
  bundle_bomb: 400,
  bundle_too_large: 413,
  body_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  misdirected_request: 421,
  rate_limited: 429,
  budget_exhausted: 429,
  quota_exceeded: 429,
  unavailable: 503,
  sso_unavailable: 503,
  cron_invalid: 422,
  cron_too_frequent: 422,
  preflight_required: 422,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Messages may name what was sent, and are read in terminals: nothing there may act, or show the rest in another order. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An answer that is not a success. The message says what is wrong, where, and what would be right; it reaches the client. */
export class AppError extends Error {
  override name = "AppError";
  /** Named `kind`, because Elysia takes over an error's own `code`. */
  readonly kind: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What SCIM calls it more precisely (RFC 7644, table 9). */
  readonly scimType: string | null;

  constructor(
    kind: ErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown; scimType?: string } = {},
  ) {
    super(message.replace(UNSEEN, "\ufffd"), "cause" in options ? { cause: options.cause } : {});
    this.kind = kind;
    this.status = options.status ?? ERROR_STATUS[kind];
    this.headers = options.headers ?? {};
    this.scimType = options.scimType ?? null;
  }
}

export const invalid = (message: string) => new AppError("invalid_request", message);
export const notFound = (what: string) => new AppError("not_found", `${what} does not exist.`);
export const conflict = (message: string) => new AppError("conflict", message);
/** A 401; RFC 9110 asks for the challenge. */
export const unauthorized = (message: string) =>
  new AppError("unauthorized", message, { headers: { "www-authenticate": "Bearer" } });

/** The body of every error outside OAuth and SCIM. */
export function errorBody(kind: ErrorCode, message: string): { error: ErrorCode; message: string } {
  return { error: kind, message };
}
