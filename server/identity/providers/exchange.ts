import type { Configuration } from "openid-client";
import { type Proof, ProviderRefusalError, ProviderUnreachableError } from "./provider.ts";

/** Seconds that a provider has for each answer. */
export const TIMEOUT_SECONDS = 8;

/** What a provider's error is to us. */
export function toProviderError(error: unknown): Error {
  if (error instanceof ProviderRefusalError || error instanceof ProviderUnreachableError) return error;
  const { name, code, cause } = error as { name?: string; code?: string; cause?: unknown };
  const isStatus = cause instanceof Response && cause.status >= 500;
  const isNetwork = name === "TimeoutError" || code === "OAUTH_TIMEOUT" || isConnection(error);
  if (isStatus || isNetwork) return new ProviderUnreachableError("The provider does not answer.");
  return new ProviderRefusalError(`The provider's answer is no sign-in (${code ?? name ?? "unknown"}).`);
}

/** What `fetch` throws when there is no connection, in the words of this runtime. */
function isConnection(error: unknown): boolean {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = "", name = "" } = inner as { code?: string; name?: string };
  return (
    /^(Connection|E[A-Z]+$|FailedToOpenSocket|Unable|DNS|UNABLE_|CERT_|DEPTH_|ERR_TLS)/.test(code) ||
    name === "TypeError"
  );
}

/** Adds to a request for authorization what binds its answer to this browser and to this server (RFC 7636, OAuth 2.1). */
export async function beginWith(
  config: Configuration,
  redirectUri: string,
  scope: string,
): Promise<{ url: URL; proof: Proof }> {
  const client = await import("openid-client");
  const proof = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    response_type: "code",
    scope,
    state: proof.state,
    code_challenge: await client.calculatePKCECodeChallenge(proof.verifier),
    code_challenge_method: "S256",
  });
  return { url, proof };
}
