import { OAuthError } from "../../http/oauth-error.ts";

/** What may stand after the origin: it is one resource in three forms (specification, section 5.3). */
const PATHS = new Set(["/", "/mcp"]);

/**
 * The origin that a resource indicator (RFC 8707) means.
 * @param origins those of this server
 * @throws OAuthError `invalid_target` when it is missing or means another server
 */
export function readResource(resource: string | undefined, origins: readonly string[]): string {
  if (resource === undefined)
    throw new OAuthError("invalid_target", `The parameter resource is missing; it must be ${origins[0]}.`);
  const url = /[?#\s\\]/.test(resource) ? null : URL.parse(resource);
  const isForm = url !== null && PATHS.has(url.pathname) && url.username + url.password === "";
  if (!isForm || !origins.includes(url.origin))
    throw new OAuthError(
      "invalid_target",
      `The parameter resource names another server; it must be ${origins[0]}.`,
    );
  return url.origin;
}
