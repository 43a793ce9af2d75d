import { OAuthError } from "../../http/oauth-error.ts";
import type { AgentScope } from "../scopes.ts";
import type { Client } from "./clients.ts";
import { type Form, requireField } from "./form.ts";
import { isRegisteredRedirect } from "./redirect-uris.ts";
import { readResource } from "./resources.ts";
import { readScopes } from "./scope-text.ts";

/** Where the answer to an authorization request goes. Until this is known to be good, nobody is sent anywhere. */
export interface Target {
  client: Client;
  redirectUri: string;
  state: string | undefined;
}

/** What an authorization request asks for. */
export interface Demand {
  challenge: string;
  scopes: AgentScope[];
  /** Origin of this server. */
  resource: string;
  /** Whether the person is to be asked even when the answer is known. */
  mustAsk: boolean;
}

/**
 * Where the answer goes: an address that the client has registered.
 * @throws OAuthError `invalid_redirect_uri`
 */
export function readTarget(form: Form, client: Client): Target {
  const [only, ...more] = client.redirectUris;
  const redirectUri = form.get("redirect_uri") ?? (more.length === 0 ? only : undefined);
  if (redirectUri === undefined)
    throw new OAuthError("invalid_redirect_uri", "The parameter redirect_uri is missing.");
  if (!isRegisteredRedirect(client.redirectUris, redirectUri))
    throw new OAuthError("invalid_redirect_uri", "The redirect_uri is none that the client has registered.");
  return { client, redirectUri, state: form.get("state") };
}

/**
 * What is asked for (OAuth 2.1, section 4.1.1; RFC 7636; RFC 8707).
 * @throws OAuthError, which the client may be told
 */
export function readDemand(form: Form, origins: readonly string[]): Demand {
  if (requireField(form, "response_type") !== "code")
    throw new OAuthError("unsupported_response_type", 'The parameter response_type must be "code".');
  if ((form.get("response_mode") ?? "query") !== "query")
    throw new OAuthError("invalid_request", 'The parameter response_mode must be "query".');
  const challenge = requireField(form, "code_challenge");
  if (form.get("code_challenge_method") !== "S256")
    throw new OAuthError("invalid_request", 'The parameter code_challenge_method must be "S256".');
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthError("invalid_request", "The parameter code_challenge must be a SHA-256 in base64url.");
  return {
    challenge,
    resource: readResource(form.get("resource"), origins),
    scopes: readScopes(form.get("scope")),
    mustAsk: (form.get("prompt") ?? "").split(" ").includes("consent"),
  };
}

/** The address that the browser is sent to with an answer (RFC 6749, section 4.1.2; RFC 9207). */
export function answerUrl(
  { redirectUri, state }: Target,
  issuer: string,
  answer: Record<string, string>,
): string {
  const parameters = new URLSearchParams({
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: issuer,
  });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`;
}
