import { AppError, type ErrorCode } from "./errors.ts";

/** The codes of RFC 6749, 7591, 8707 and OpenID Connect that are answered here, with their status. */
const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 403,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
} as const;

export type OAuthErrorCode = keyof typeof STATUS;

/** An error that has a name of its own in OAuth. */
export class OAuthError extends AppError {
  readonly oauth: OAuthErrorCode;

  constructor(oauth: OAuthErrorCode, message: string, headers: Record<string, string> = {}) {
    super("invalid_request", message, { status: STATUS[oauth], headers });
    this.oauth = oauth;
  }
}

/** What OAuth calls other errors; all else is `invalid_request`. */
const NAMES: Partial<Record<ErrorCode, string>> = {
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  internal: "server_error",
  forbidden: "access_denied",
};

/** The body of an error (RFC 6749, section 5.2). */
export function oauthErrorBody(error: AppError): { error: string; error_description: string } {
  const name = error instanceof OAuthError ? error.oauth : (NAMES[error.kind] ?? "invalid_request");
  return { error: name, error_description: describable(error.message) };
}

/** A description may have printable ASCII only, without quotes and backslashes (RFC 6749, section 5.2). */
export function describable(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");
}
