import { roleIn } from "../../../store/records/api-keys.ts";
import type { Records } from "../../../store/records/db.ts";
import { type ApiKeyRow, findApiKeyByHash, touchApiKeys } from "../../../store/records/identity.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Principal } from "../actor.ts";
import { hashSecret, isEqualHash, isWellFormedSecret } from "../key-secrets.ts";
import { expandScopes, type Scope, scopesOfRole } from "../scopes.ts";
import { bearerToken, unknownKey } from "./authorization.ts";
import type { Credential, CredentialResolver, Grant } from "./credential.ts";
import type { CredentialMemory, Found } from "./memory.ts";

/** API keys, personal access tokens and service tokens as bearer tokens. */
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
    if (!key || !isEqualHash(key.hash, hash) || key.revoked_at !== null) return null;
    const grant = await grantOf(key);
    if (!grant) return null;
    return {
      expiresAt: key.expires_at ?? Number.POSITIVE_INFINITY,
      credential: { principal: principalOf(key), orgId: key.org_id, orgs: new Map([[key.org_id, grant]]) },
    };
  }

  /** What a personal token may do is never more than its person may now. Null for one whose person has left the org. */
  async function grantOf(key: ApiKeyRow): Promise<Grant | null> {
    const scopes = scopesIn(key.scopes);
    if (key.kind !== "pat") return { role: null, scopes };
    const role = key.user_id === null ? undefined : await roleIn(records, key.user_id, key.org_id);
    return role ? { role, scopes: scopes.intersection(scopesOfRole(role)) } : null;
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
    forget: (id) => memory.forgetWhere(({ principal }) => BY_KEY.has(principal.type) && principal.id === id),
    async flushUses() {
      const pending = new Map(uses);
      uses.clear();
      if (pending.size === 0) return;
      try {
        await records.transaction().execute((trx) => touchApiKeys(trx, pending));
      } catch (error) {
        // Uses of since then are later than these.
        for (const [id, at] of pending) if (!uses.has(id)) uses.set(id, at);
        throw error;
      }
    },
  };
}

/** Few texts of scopes stand in many keys. */
const expanded = new Map<string, ReadonlySet<Scope>>();
const MOST_EXPANDED = 1_000;

function scopesIn(text: string): ReadonlySet<Scope> {
  const known = expanded.get(text);
  if (known) return known;
  const scopes = expandScopes(JSON.parse(text) as Scope[]);
  if (expanded.size >= MOST_EXPANDED) expanded.clear();
  expanded.set(text, scopes);
  return scopes;
}

const BY_KEY: ReadonlySet<Principal["type"]> = new Set(["api_key", "pat", "svc"]);

function principalOf({ id, kind, user_id: userId }: ApiKeyRow): Principal {
  if (kind === "pat" && userId !== null) return { type: "pat", id, userId };
  return kind === "svc" ? { type: "svc", id, userId: null } : { type: "api_key", id, userId };
}
