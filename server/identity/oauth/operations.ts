import type { DocumentDecoration } from "elysia";
import { AGENT_SCOPES } from "../scopes.ts";

/** What the description of the API says of the operations of OAuth: their forms are those of RFC 6749, 7009 and 7591. */
type Schema = Record<string, unknown>;

const TAGS = ["identity", "oauth"];
const text = (description: string): Schema => ({ type: "string", description });
const words = (description: string): Schema => ({ type: "array", items: { type: "string" }, description });

const object = (properties: Record<string, Schema>, required: string[]): Schema => ({
  type: "object",
  properties,
  required,
});
const json = (schema: Schema) => ({ "application/json": { schema } });

function operation(
  verb: string,
  summary: string,
  more: { responses: Record<string, unknown>; parameters?: unknown[]; form?: Schema; body?: Schema },
): DocumentDecoration {
  const { form, body, ...rest } = more;
  const content = form ? { "application/x-www-form-urlencoded": { schema: form } } : body && json(body);
  return {
    operationId: `oauth.${verb}`,
    tags: TAGS,
    summary,
    security: [],
    ...rest,
    ...(content ? { requestBody: { required: true, content } } : {}),
  } as DocumentDecoration;
}

const SERVER = object(
  {
    issuer: text("Origin of this server."),
    authorization_endpoint: text("Where a person is sent."),
    token_endpoint: text("Where codes are traded."),
    registration_endpoint: text("Where programs register."),
    revocation_endpoint: text("Where tokens are ended."),
    scopes_supported: words("Every scope."),
    code_challenge_methods_supported: words("S256."),
  },
  ["issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"],
);
const RESOURCE = object(
  {
    resource: text("What tokens are for."),
    authorization_servers: words("Who issues them."),
    scopes_supported: words("What to ask for at first."),
    bearer_methods_supported: words("How a token is sent."),
  },
  ["resource", "authorization_servers"],
);
const of = (what: string, schema: Schema) => ({
  responses: { 200: { description: what, content: json(schema) } },
});
const SERVER_ANSWER = of("Where and how to ask for tokens.", SERVER);
const RESOURCE_ANSWER = of("Who issues tokens for this server.", RESOURCE);

export const METADATA = {
  server: operation("show_server", "Metadata of the authorization server (RFC 8414)", SERVER_ANSWER),
  server_of_mcp: operation("show_server_of_mcp", "The same, where clients of /mcp look first", SERVER_ANSWER),
  resource: operation("show_resource", "Metadata of the protected resource (RFC 9728)", RESOURCE_ANSWER),
  resource_of_mcp: operation("show_resource_of_mcp", "The same of /mcp", RESOURCE_ANSWER),
};

const CLIENT = {
  client_name: text("How people are told of it."),
  redirect_uris: {
    ...words("Where answers may go: https, http to this machine, or a scheme of its own."),
    examples: [["http://127.0.0.1/callback"]],
  },
  grant_types: words("authorization_code, refresh_token."),
  response_types: words("code."),
  token_endpoint_auth_method: text("none: clients have no secret."),
};

export const REGISTER = operation("register", "Register a program (RFC 7591)", {
  body: object(CLIENT, ["redirect_uris"]),
  responses: {
    201: {
      description: "The program with its client_id.",
      content: json(
        object({ client_id: text("How it names itself from now on."), ...CLIENT }, ["client_id"]),
      ),
    },
    429: { description: "Too many from this address." },
  },
});

const parameter = (name: string, description: string, required = true) => ({
  name,
  in: "query",
  required,
  schema: { type: "string" },
  description,
});
const LOCATION = { Location: { schema: { type: "string" } } };
const PAGE = { "text/html": { schema: { type: "string" } } };

export const AUTHORIZE = operation("authorize", "Ask the person who is signed in to let a program in", {
  parameters: [
    parameter("response_type", "code"),
    parameter("client_id", "As registered."),
    parameter("redirect_uri", "One that is registered; on this machine any port.", false),
    parameter("code_challenge", "SHA-256 of the verifier, base64url (RFC 7636)."),
    parameter("code_challenge_method", "S256"),
    parameter("resource", "This server's origin, perhaps with / or /mcp (RFC 8707)."),
    parameter("scope", `Of ${AGENT_SCOPES.join(", ")}.`, false),
    parameter("state", "Comes back with the answer.", false),
    parameter("prompt", "consent: ask even when the answer is known.", false),
  ],
  responses: {
    200: { description: "The page that asks.", content: PAGE },
    302: { description: "To the program with an answer, or to sign in.", headers: LOCATION },
    400: { description: "The request is not good, and it is not known where to say so." },
  },
});

export const AUTHORIZE_FORM = operation("answer", "The answer of the page that asks", {
  form: object(
    {
      request: text("The query of the request."),
      csrf: text("Proof that the page was made for this session."),
      org: text("Id of the organisation."),
      decision: text("allow or deny."),
    },
    ["request", "csrf"],
  ),
  responses: { 303: { description: "To the program with the answer.", headers: LOCATION } },
});

export const TOKEN = operation("grant_tokens", "Trade a code or a refresh token for tokens", {
  form: object(
    {
      grant_type: text("authorization_code or refresh_token."),
      client_id: text("As registered."),
      code: text("With authorization_code."),
      code_verifier: text("With authorization_code."),
      redirect_uri: text("With authorization_code: the one that the code was sent to."),
      refresh_token: text("With refresh_token."),
      scope: text("With refresh_token: less than was granted."),
      resource: text("That of the grant."),
    },
    ["grant_type", "client_id"],
  ),
  responses: {
    200: {
      description: "An access token of one hour, and a refresh token that works once within 90 days.",
      content: json(
        object(
          {
            access_token: text("Sent as Authorization: Bearer."),
            token_type: text("Bearer."),
            expires_in: { type: "integer", description: "Seconds." },
            refresh_token: text("Trades for the next two."),
            scope: text("What was granted."),
          },
          ["access_token", "token_type", "expires_in", "refresh_token", "scope"],
        ),
      ),
    },
    401: { description: "The client is not known." },
    429: { description: "Too many refusals from this address, or requests for this org." },
  },
});

export const REVOKE = operation("revoke", "End a token (RFC 7009); a refresh token with its family", {
  form: object(
    { token: text("The token."), token_type_hint: text("Not needed."), client_id: text("As registered.") },
    ["token", "client_id"],
  ),
  responses: {
    200: { description: "It is ended, or never was." },
    401: { description: "The client is not known." },
    429: { description: "Too many refusals from this address." },
  },
});
