import type { Role } from "../../store/records/schema.ts";
import type { AgentScope, Scope } from "./scopes.ts";

/** An API key, with the user whose it is. */
interface ApiKeyPrincipal {
  type: "api_key";
  /** Id of the key. */
  id: string;
  userId: string | null;
}

/** A personal access token: it acts as its person does. */
interface PersonalTokenPrincipal {
  type: "pat";
  /** Id of the token. */
  id: string;
  userId: string;
}

/** A service token: the org's, and nobody's. */
interface ServiceTokenPrincipal {
  type: "svc";
  /** Id of the token. */
  id: string;
  userId: null;
}

/** A person who is signed in. */
interface SessionPrincipal {
  type: "session";
  /** Id of the session. */
  id: string;
  userId: string;
}

/** The server's own parts, and services that hold the internal token. */
interface InternalPrincipal {
  type: "internal";
  /** Which of them. */
  id: string;
  userId: null;
}

/** A program that acts in a person's name, by OAuth. */
interface OAuthPrincipal {
  type: "oauth";
  /** Id of the grant. */
  id: string;
  /** Who has granted it. */
  userId: string;
  /** What the person could still grant it, for agents that ask for more when they need it. */
  grantable: ReadonlySet<AgentScope>;
}

/** Whoever a proxy in front of the server has let in. */
interface OrgHeaderPrincipal {
  type: "org_header";
  id: "org_header";
  userId: null;
}

/** Whose a credential is: each kind of credential adds its own. */
export type Principal =
  | ApiKeyPrincipal
  | PersonalTokenPrincipal
  | ServiceTokenPrincipal
  | SessionPrincipal
  | OAuthPrincipal
  | InternalPrincipal
  | OrgHeaderPrincipal;

/** Who makes a request, as the auth macro hands it to routes and they to services. */
export type Actor = Principal & {
  orgId: string;
  /** The person's role in that org. */
  role: Role | null;
  scopes: ReadonlySet<Scope>;
  ip: string | null;
};
