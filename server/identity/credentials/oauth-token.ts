import type { Records } from "../../../store/records/db.ts";
import { findAccess, touchGrants } from "../../../store/records/oauth-grants.ts";
import type { Config } from "../../config.ts";
import { unauthorized } from "../../http/errors.ts";
import { ownOrigins } from "../../http/own-origins.ts";
import type { Clock } from "../../platform/clock.ts";
import { hashSecret, isEqualSecret, oauthTokenKind } from "../key-secrets.ts";
import { AGENT_SCOPES, type AgentScope, isGrantable, scopesGranted } from "../scopes.ts";
import { bearerToken } from "./authorization.ts";
import type { Credential, CredentialResolver } from "./credential.ts";
import type { CredentialMemory, Found } from "./memory.ts";

/** Access tokens of OAuth as bearer tokens: opaque, for one origin, never with more than the person's role has now. */
export interface OAuthTokens {
  resolve: CredentialResolver;
  /** By the id of the grant. */
  forget(id: string): void;
  /** Writes when grants were last used: they are collected, so that reading does not write. */
  flushUses(): Promise<void>;
}

export function createOAuthTokens(
  {
    records,
    clock,
    config,
  }: { records: Records; clock: Pick<Clock, "now">; config: Pick<Config, "publicUrl"> },
  memory: CredentialMemory,
): OAuthTokens {
  const uses = new Map<string, number>();

  async function look(hash: string): Promise<Found | null> {
    const found = await findAccess(records, hash);
    if (!found || !isEqualSecret(found.hash, hash)) return null;
    const { role, org_id, user_id, grant_id, resource } = found;
    return {
      expiresAt: found.expires_at,
      credential: {
        principal: {
          type: "oauth",
          id: grant_id,
          userId: user_id,
          grantable: new Set(AGENT_SCOPES.filter((scope) => isGrantable(role, scope))),
        },
        orgId: org_id,
        // What is for people of a role is not for the programs that they have let in.
        orgs: new Map([
          [org_id, { role: null, scopes: scopesGranted(role, JSON.parse(found.scopes) as AgentScope[]) }],
        ]),
        audience: resource,
      },
    };
  }

  async function check(token: string, request: Request): Promise<Credential> {
    const credential = await memory.known(hashSecret(token), look);
    if (!credential) throw unauthorized("The access token is not known, was revoked or has expired.");
    if (!ownOrigins(request, config).includes(credential.audience!))
      throw unauthorized("The access token is for another resource than this server.");
    uses.set(credential.principal.id, clock.now());
    return credential;
  }

  return {
    resolve(request) {
      const token = bearerToken(request.headers);
      return token !== null && oauthTokenKind(token) === "oat" ? check(token, request) : null;
    },
    forget: (id) => memory.forgetWhere(({ principal }) => principal.type === "oauth" && principal.id === id),
    async flushUses() {
      const pending = new Map(uses);
      uses.clear();
      if (pending.size === 0) return;
      try {
        await touchGrants(records, pending);
      } catch (error) {
        // Uses of since then are later than these.
        for (const [id, at] of pending) if (!uses.has(id)) uses.set(id, at);
        throw error;
      }
    },
  };
}
