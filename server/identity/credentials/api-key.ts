import type { Records } from "../../../store/records/db.ts";
import { findApiKeyByHash, touchApiKeys } from "../../../store/records/identity.ts";
import type { Clock } from "../../platform/clock.ts";
import { hashSecret, isEqualSecret, isWellFormedSecret } from "../key-secrets.ts";
import { expandScopes, type Scope } from "../scopes.ts";
import { bearerToken, unknownKey } from "./authorization.ts";
import type { Credential, CredentialResolver } from "./credential.ts";
import type { CredentialMemory, Found } from "./memory.ts";

/** API keys as bearer tokens. */
export interface ApiKeys {
  resolve: CredentialResolver;
  forget(id: string): void;
  /** Writes when keys were last used: they are collected, so that reading does not write. */
  flushUses(): Promise<void>;
}

export function createApiKeys(
  { records, clock }: { records: Records; clock: Pick<Clock, "now"> },
  memory: CredentialMemory,
): ApiKeys {
  const uses = new Map<string, number>();

  async function look(hash: string): Promise<Found | null> {
    const key = await findApiKeyByHash(records, hash);
    if (!key || !isEqualSecret(key.hash, hash) || key.revoked_at !== null) return null;
    const scopes = expandScopes(JSON.parse(key.scopes) as Scope[]);
    return {
      expiresAt: key.expires_at ?? Number.POSITIVE_INFINITY,
      credential: {
        principal: { type: "api_key", id: key.id, userId: key.user_id },
        orgId: key.org_id,
        orgs: new Map([[key.org_id, { role: null, scopes }]]),
      },
    };
  }

  async function check(secret: string): Promise<Credential> {
    const credential = await memory.known(hashSecret(secret), look);
    if (!credential) throw unknownKey();
    uses.set(credential.principal.id, clock.now());
    return credential;
  }

  return {
    resolve({ headers }) {
      const secret = bearerToken(headers);
      return secret !== null && isWellFormedSecret(secret) ? check(secret) : null;
    },
    forget: (id) =>
      memory.forgetWhere(({ principal }) => principal.type === "api_key" && principal.id === id),
    async flushUses() {
      const pending = new Map(uses);
      uses.clear();
      if (pending.size > 0) await records.transaction().execute((trx) => touchApiKeys(trx, pending));
    },
  };
}
