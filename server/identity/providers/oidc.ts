import type { Configuration, CustomFetch } from "openid-client";
import { isLoopbackName } from "../../config.ts";
import { boundedFetch } from "../../platform/bounded-fetch.ts";
import type { Clock } from "../../platform/clock.ts";
import { beginWith, TIMEOUT_SECONDS, toProviderError } from "./exchange.ts";
import { type Provider, ProviderRefusalError, ProviderUnreachableError } from "./provider.ts";

const KEEP_MS = 60 * 60_000;

/** An OpenID Connect provider (OpenID Connect Core 1.0), by its discovery document, which is read again every hour. */
export interface OidcProvider extends Provider {
  issuer: string;
  /**
   * Reads the discovery document anew.
   * @throws ProviderUnreachableError, whose message says what is wrong with it
   */
  test(): Promise<{ authorization_endpoint: string; token_endpoint: string }>;
}

export function createOidcProvider(
  settings: { issuer: string; clientId: string; clientSecret: string | null },
  clock: Pick<Clock, "monotonic">,
): OidcProvider {
  const { issuer, clientId, clientSecret } = settings;
  const server = new URL(issuer);
  let known: { config: Promise<Configuration>; until: number } | null = null;

  async function discover(): Promise<Configuration> {
    const client = await import("openid-client");
    if (server.protocol !== "https:" && !isLoopbackName(server.hostname))
      throw new ProviderUnreachableError("The issuer must be an https address.");
    const insecure = server.protocol === "http:" ? [client.allowInsecureRequests] : [];
    const auth = clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret);
    return client.discovery(server, clientId, clientSecret ?? undefined, auth, {
      timeout: TIMEOUT_SECONDS,
      execute: insecure,
      [client.customFetch]: boundedFetch as CustomFetch,
    });
  }

  async function configuration(): Promise<Configuration> {
    const now = clock.monotonic();
    if (!known || now >= known.until) {
      const fresh = { config: discover(), until: now + KEEP_MS };
      known = fresh;
      // What failed is asked again by the next one.
      fresh.config.catch(() => {
        if (known === fresh) known = null;
      });
    }
    try {
      return await known.config;
    } catch (error) {
      if (error instanceof ProviderUnreachableError) throw error;
      throw new ProviderUnreachableError(
        `${server.origin} does not answer with a discovery document of the issuer ${issuer}.`,
      );
    }
  }

  return {
    kind: "sso",
    name: server.hostname,
    issuer,
    async begin(redirectUri) {
      const config = await configuration();
      const { url, proof } = await beginWith(config, redirectUri, "openid email profile");
      url.searchParams.set("nonce", proof.nonce);
      return { url, proof };
    },
    async finish(arrived, { state, nonce, verifier }) {
      const config = await configuration();
      const client = await import("openid-client");
      try {
        const tokens = await client.authorizationCodeGrant(config, arrived, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new ProviderRefusalError("The provider sent no id_token.");
        const hasEmail = claims.email !== undefined || !config.serverMetadata().userinfo_endpoint;
        const told = hasEmail ? claims : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
        // Some send it as text.
        const isVerified = told.email_verified === true || String(told.email_verified) === "true";
        return {
          issuer: claims.iss,
          subject: claims.sub,
          verifiedEmail: isVerified && typeof told.email === "string" ? told.email : null,
          name: typeof told.name === "string" ? told.name : null,
        };
      } catch (error) {
        throw toProviderError(error);
      }
    },
    async test() {
      known = null;
      const config = await configuration();
      const { authorization_endpoint = "", token_endpoint = "" } = config.serverMetadata();
      return { authorization_endpoint, token_endpoint };
    },
  };
}
