import { createServer, type Server } from "node:http";
import Provider, { type Configuration } from "oidc-provider";

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

/** What the provider says of a person. */
export interface ProviderPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/**
 * A real OpenID Connect provider on loopback. Whoever is `signedIn` is there already and agrees to everything, so that
 * following the redirects is signing in.
 */
export async function startProvider(options: { redirectUri: string; configuration?: Configuration }) {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const issuer = `http://127.0.0.1:${port}`;
  let person: ProviderPerson = { sub: "ada" };
  let isDown = false;

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "tracedeck",
        client_secret: "a secret of the provider",
        redirect_uris: [options.redirectUri],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ["of a test"] },
    ...options.configuration,
  });
  provider.on("server_error", (_, error) => console.error(error));
  const callback = provider.callback();
  server.on("request", async (request, response) => {
    if (isDown) {
      response.writeHead(502).end("down");
      return;
    }
    if (!request.url?.startsWith("/interaction/")) return void callback(request, response);
    const details = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: person.sub, clientId: String(details.params.client_id) });
    grant.addOIDCScope(String(details.params.scope));
    const grantId = await grant.save();
    const result = { login: { accountId: person.sub }, consent: { grantId } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });

  return {
    issuer,
    clientId: "tracedeck",
    clientSecret: "a secret of the provider",
    /** Who is in front of the browser from now on. */
    signedIn(next: ProviderPerson) {
      person = next;
    },
    setDown(next: boolean) {
      isDown = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
    /** Follows a browser's way through the provider. @returns the address that it sends the browser back to */
    async follow(start: string): Promise<URL> {
      const jar = new Map<string, string>();
      let url = new URL(start);
      for (let hops = 0; hops < 10; hops++) {
        if (url.origin !== issuer) return url;
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
        for (const set of answer.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          if (value === "") jar.delete(name);
          else jar.set(name, value);
        }
        const location = answer.headers.get("location");
        if (location === null)
          throw new Error(`The provider answered ${answer.status}: ${(await answer.text()).slice(0, 2_000)}`);
        url = new URL(location, url);
      }
      throw new Error("The provider redirects for ever.");
    },
  };
}
