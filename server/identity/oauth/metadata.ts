import type { Config } from "../../config.ts";
import { AGENT_SCOPES } from "../scopes.ts";
import { USUAL_SCOPES } from "./scope-text.ts";

/** Where the metadata of the resource `/mcp` lies (RFC 9728, section 3.1). */
export const MCP_METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";

/** Authorization server metadata (RFC 8414). @param issuer origin of this server */
export function serverMetadata(issuer: string, { settings }: Pick<Config, "settings">) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/api/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    registration_endpoint: `${issuer}/api/oauth/register`,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    scopes_supported: [...AGENT_SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: settings.oauth.client_metadata_documents,
    protected_resources: [issuer, `${issuer}/mcp`],
    service_documentation: `${issuer}/docs/agents`,
  };
}

/** Protected resource metadata (RFC 9728). @param path what stands after the origin in the resource's own address */
export function resourceMetadata(origin: string, path: "" | "/mcp") {
  return {
    resource: origin + path,
    authorization_servers: [origin],
    // What is enough to begin with; a client that needs more is told by the challenge.
    scopes_supported: [...USUAL_SCOPES],
    bearer_methods_supported: ["header"],
    resource_name: "Tracedeck",
    resource_documentation: `${origin}/docs/agents`,
  };
}

/**
 * `WWW-Authenticate` at `/mcp` (RFC 6750, section 3; RFC 9728, section 5.1).
 * @param options.error left out where no credential was sent
 */
export function mcpChallenge(
  origin: string,
  {
    error,
    scopes = USUAL_SCOPES,
  }: { error?: "invalid_token" | "insufficient_scope"; scopes?: readonly string[] },
): string {
  const fields = [`resource_metadata="${origin}${MCP_METADATA_PATH}"`];
  if (error) fields.push(`error="${error}"`);
  fields.push(`scope="${scopes.join(" ")}"`);
  return `Bearer ${fields.join(", ")}`;
}
