import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { CustomFetch } from "openid-client";
import { boundedFetch } from "../../platform/bounded-fetch.ts";
import { beginWith, TIMEOUT_SECONDS, toProviderError } from "./exchange.ts";
import { type Provider, ProviderRefusalError } from "./provider.ts";

const Person = Type.Object({
  id: Type.Integer(),
  login: Type.String(),
  name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const Emails = Type.Array(
  Type.Object({ email: Type.String(), primary: Type.Boolean(), verified: Type.Boolean() }),
);

/**
 * A code host that keeps to GitHub's web application flow: `/login/oauth/authorize`, `/login/oauth/access_token`, `/user`
 * and `/user/emails`. Of the addresses only the primary one counts, once it is confirmed.
 */
export function createCodeHost(settings: {
  apiUrl: string;
  clientId: string;
  clientSecret: string;
}): Provider {
  const api = settings.apiUrl.replace(/(?<!\/)\/+$/, "");
  const web = webOriginOf(api);

  async function configuration() {
    const client = await import("openid-client");
    const server = {
      issuer: web,
      authorization_endpoint: `${web}/login/oauth/authorize`,
      token_endpoint: `${web}/login/oauth/access_token`,
    };
    const auth = client.ClientSecretPost(settings.clientSecret);
    const config = new client.Configuration(server, settings.clientId, settings.clientSecret, auth);
    config.timeout = TIMEOUT_SECONDS;
    config[client.customFetch] = boundedFetch as CustomFetch;
    if (web.startsWith("http:")) client.allowInsecureRequests(config);
    return { client, config };
  }

  return {
    kind: "code_host",
    name: new URL(web).hostname === "github.com" ? "GitHub" : new URL(web).hostname,
    async begin(redirectUri) {
      return beginWith((await configuration()).config, redirectUri, "read:user user:email");
    },
    async finish(arrived, { state, verifier }) {
      const { client, config } = await configuration();
      const read = async (token: string, path: string): Promise<unknown> => {
        const headers = new Headers({ accept: "application/vnd.github+json", "user-agent": "tracedeck" });
        const url = new URL(`${api}${path}`);
        const answer = await client.fetchProtectedResource(config, token, url, "GET", undefined, headers);
        if (answer.ok) return answer.json();
        throw Object.assign(new Error("The code host refused."), { cause: answer });
      };
      try {
        const tokens = await client.authorizationCodeGrant(config, arrived, {
          expectedState: state,
          pkceCodeVerifier: verifier,
        });
        const person = await read(tokens.access_token, "/user");
        const emails = await read(tokens.access_token, "/user/emails");
        if (!Value.Check(Person, person) || !Value.Check(Emails, emails))
          throw new ProviderRefusalError("The code host does not say who it is.");
        const primary = emails.find((one) => one.primary && one.verified);
        return {
          issuer: api,
          subject: String(person.id),
          verifiedEmail: primary?.email ?? null,
          name: person.name || person.login,
        };
      } catch (error) {
        throw toProviderError(error);
      }
    },
  };
}

/** Where people are, of a host whose API is there: `api.github.com` is `github.com`, and `/api/v3` the API of a host of one's own. */
function webOriginOf(api: string): string {
  const url = new URL(api);
  if (url.pathname === "/") url.hostname = url.hostname.replace(/^api\./, "");
  return url.origin;
}
