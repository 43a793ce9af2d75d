import {
  type Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import * as oauth from "oauth4webapi";
import { newClient, type Revision } from "./agents.ts";
import { type Ask, allow, CALLBACK } from "./oauth.ts";

const INSECURE = { [oauth.allowInsecureRequests]: true };

/** The person: signed in at that server, allows whatever is asked on its page. */
export interface Consenter {
  base: string;
  cookie: string;
}

/** Fetches from a server elsewhere. */
export const askAt =
  (base: string): Ask =>
  (path, init) =>
    fetch(new URL(path, base), init);

/** Answers the page at that address as the person; where the browser is sent then. */
export function consent({ base, cookie }: Consenter, url: URL): Promise<URL> {
  return allow(askAt(base), cookie, url.search.slice(1), { origin: new URL(base).origin });
}

/** `oauth4webapi` (certified, strict): discovery, registration, code with PKCE, a request, refresh, revocation. */
export async function driveStrictClient(who: Consenter): Promise<string[]> {
  const resource = new URL(`${who.base}/mcp`);
  const found = await oauth.resourceDiscoveryRequest(resource, INSECURE);
  const metadata = await oauth.processResourceDiscoveryResponse(resource, found);
  const issuer = new URL(metadata.authorization_servers![0]!);
  const asked = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE });
  const server = await oauth.processDiscoveryResponse(issuer, asked);
  const registered = await oauth.dynamicClientRegistrationRequest(
    server,
    { client_name: "Strict", redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" },
    INSECURE,
  );
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint!);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource: resource.href,
    state,
  }).toString();
  const answer = oauth.validateAuthResponse(server, client, await consent(who, url), state);
  const none = oauth.None();
  const more = { additionalParameters: { resource: resource.href }, ...INSECURE };
  const traded = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    none,
    answer,
    CALLBACK,
    verifier,
    more,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, traded);
  const refreshed = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token!, more);
  const next = await oauth.processRefreshTokenResponse(server, client, refreshed);
  const use = async () => {
    const called = oauth.protectedResourceRequest(
      next.access_token,
      "GET",
      new URL(`${who.base}/api/v1/me`),
      undefined,
      null,
      INSECURE,
    );
    return String(
      await called.then(
        ({ status }) => status,
        ({ status }: { status?: number }) => status,
      ),
    );
  };
  const before = await use();
  const ended = await oauth.revocationRequest(server, client, none, next.refresh_token!, INSECURE);
  await oauth.processRevocationResponse(ended);
  return [next.scope!, before, await use()];
}

/** What the official MCP client keeps, in memory; `asked` is where it would send the browser. */
function createProvider() {
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let discovered: OAuthDiscoveryState | undefined;
  let verifier = "";
  let asked: URL | null = null;
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "MCP client",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information;
    },
    tokens: () => tokens,
    saveTokens(given) {
      tokens = given;
    },
    redirectToAuthorization(url) {
      asked = url;
    },
    saveCodeVerifier(given) {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  return { provider, asked: () => asked! };
}

/** The official MCP client, which knows nothing but the address: connected after the person has allowed it. */
export async function connectOfficialClient(
  who: Consenter,
  revision: Revision,
): Promise<{ client: Client; scope: string }> {
  const { provider, asked } = createProvider();
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${who.base}/mcp`), { authProvider: provider });
  const first = open();
  const refused = await newClient(revision)
    .connect(first)
    .catch((error: unknown) => error);
  if (!(refused instanceof UnauthorizedError)) throw refused ?? new Error("It came in without a token.");
  await first.finishAuth((await consent(who, asked())).searchParams);
  const client = newClient(revision);
  await client.connect(open());
  return { client, scope: (await provider.tokens())!.scope! };
}
