import { OAuthError } from "../../http/oauth-error.ts";
import { isAllowedRedirect } from "./redirect-uris.ts";

/** What a program says of itself, as far as it counts here (RFC 7591, section 2). */
export interface ClientMetadata {
  name: string | null;
  redirectUris: string[];
}

const MOST_REDIRECTS = 10;
const MAX_NAME = 100;

/**
 * Reads what a program says of itself. What is not known here is ignored.
 * @throws OAuthError `invalid_client_metadata` or `invalid_redirect_uri`
 */
export function readClientMetadata(said: unknown): ClientMetadata {
  if (typeof said !== "object" || said === null || Array.isArray(said))
    throw bad("The client's metadata must be a JSON object.");
  const metadata = said as Record<string, unknown>;
  requirePublic(metadata.token_endpoint_auth_method);
  requireCode(metadata);
  return { name: readName(metadata.client_name), redirectUris: readRedirects(metadata.redirect_uris) };
}

function requirePublic(method: unknown): void {
  if (method === undefined || method === "none") return;
  throw bad('Clients have no secret here: token_endpoint_auth_method must be "none".');
}

function requireCode(metadata: Record<string, unknown>): void {
  const wanted = { grant_types: "authorization_code", response_types: "code" };
  for (const [name, value] of Object.entries(wanted)) {
    const given = metadata[name];
    if (given === undefined) continue;
    if (!Array.isArray(given) || !given.includes(value)) throw bad(`${name} must contain "${value}".`);
  }
}

function readName(name: unknown): string | null {
  if (name === undefined || name === null) return null;
  if (typeof name !== "string") throw bad("client_name must be a text.");
  // Names are shown to people: nothing there may hide, act, or show the rest in another order.
  const shown = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return shown === "" ? null : [...shown].slice(0, MAX_NAME).join("");
}

function readRedirects(uris: unknown): string[] {
  const isList = Array.isArray(uris) && uris.length > 0 && uris.length <= MOST_REDIRECTS;
  if (!isList || !uris.every((uri) => typeof uri === "string"))
    throw new OAuthError(
      "invalid_redirect_uri",
      `redirect_uris must be a list of 1 to ${MOST_REDIRECTS} URIs.`,
    );
  if (!uris.every(isAllowedRedirect))
    throw new OAuthError(
      "invalid_redirect_uri",
      "Each of redirect_uris must be https, http to localhost, 127.0.0.1 or [::1], or a scheme of the program's own, without a fragment.",
    );
  return [...new Set(uris)];
}

const bad = (message: string) => new OAuthError("invalid_client_metadata", message);
