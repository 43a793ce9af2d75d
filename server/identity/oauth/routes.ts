import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { readJson } from "../../http/body.ts";
import { inDialect } from "../../http/dialect.ts";
import { AppError } from "../../http/errors.ts";
import { originOf } from "../../http/guard.ts";
import { OAuthError } from "../../http/oauth-error.ts";
import { ownOrigins } from "../../http/own-origins.ts";
import { registerClient } from "./clients.ts";
import type { ToolName } from "./consent-page.ts";
import { answerAuthorize, showAuthorize } from "./flow.ts";
import { readForm } from "./form.ts";
import { resourceMetadata, serverMetadata } from "./metadata.ts";
import { AUTHORIZE, AUTHORIZE_FORM, METADATA, REGISTER, REVOKE, TOKEN } from "./operations.ts";
import { grantTokens, revokeToken } from "./tokens.ts";

const MAX_METADATA_BYTES = 32 * 1024;
/** Tokens are for nobody else (RFC 6749, section 5.1). */
const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

/**
 * The authorization server (OAuth 2.1): public clients, codes with S256, one resource.
 * @param loadTools what agents are offered, for the page that asks for consent
 */
export function oauthRoutes(deps: Deps, loadTools: () => Promise<readonly ToolName[]>) {
  const { config } = deps;
  const issuer = (request: Request) => originOf(request, config);
  const asking = (request: Request) => ({
    origins: ownOrigins(request, config),
    ip: deps.addressOf(request),
  });
  const server = ({ request }: { request: Request }) => serverMetadata(issuer(request), config);

  return new Elysia({ name: "oauth", detail: inDialect("oauth") })
    .get("/.well-known/oauth-authorization-server", server, { detail: METADATA.server })
    .get("/.well-known/oauth-authorization-server/mcp", server, { detail: METADATA.server_of_mcp })
    .get("/.well-known/oauth-protected-resource", ({ request }) => resourceMetadata(issuer(request), ""), {
      detail: METADATA.resource,
    })
    .get(
      "/.well-known/oauth-protected-resource/mcp",
      ({ request }) => resourceMetadata(issuer(request), "/mcp"),
      { detail: METADATA.resource_of_mcp },
    )
    .post(
      "/api/oauth/register",
      async ({ request, set }) => {
        Object.assign(set.headers, NO_STORE, deps.anonymousLimits.take("registration", request));
        requireJson(request);
        const said = await readJson(request, MAX_METADATA_BYTES);
        const { client, createdAt } = await registerClient(deps, said, deps.addressOf(request));
        set.status = 201;
        return {
          client_id: client.clientId,
          client_id_issued_at: Math.floor(createdAt / 1000),
          ...(client.name === null ? {} : { client_name: client.name }),
          redirect_uris: client.redirectUris,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none",
        };
      },
      { parse: "none", detail: REGISTER },
    )
    .get("/api/oauth/authorize", ({ request }) => showAuthorize(deps, request, loadTools), {
      detail: AUTHORIZE,
    })
    .post("/api/oauth/authorize", ({ request }) => answerAuthorize(deps, request), {
      parse: "none",
      detail: AUTHORIZE_FORM,
    })
    .post(
      "/api/oauth/token",
      async ({ request, set }) => {
        Object.assign(set.headers, NO_STORE);
        return limited(deps, request, async () =>
          grantTokens(deps, await readForm(request), asking(request)),
        );
      },
      { parse: "none", detail: TOKEN },
    )
    .post(
      "/api/oauth/revoke",
      async ({ request, set }) => {
        Object.assign(set.headers, NO_STORE);
        await limited(deps, request, async () => revokeToken(deps, await readForm(request), asking(request)));
        return {};
      },
      { parse: "none", detail: REVOKE },
    );
}

function requireJson({ headers }: Request): void {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new AppError("unsupported_media_type", "The body must be JSON, with Content-Type: application/json.");
}

/** Refusals count as failed authentications of their address do. */
async function limited<Result>(deps: Deps, request: Request, work: () => Promise<Result>): Promise<Result> {
  deps.anonymousLimits.check("failed_authentication", request);
  try {
    refuseSecret(request);
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.status < 429)
      deps.anonymousLimits.count("failed_authentication", request);
    throw error;
  }
}

/** Clients have no secret here, and one that sends one is told in the scheme that it tried (RFC 6749, section 5.2). */
function refuseSecret({ headers }: Request): void {
  if (!/^basic /i.test(headers.get("authorization") ?? "")) return;
  throw new OAuthError("invalid_client", "Clients have no secret here: send client_id in the form.", {
    "www-authenticate": 'Basic realm="Tracedeck"',
  });
}
