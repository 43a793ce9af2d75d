import type { Records } from "../../store/records/db.ts";
import {
  extendSession,
  findApiKeyByHash,
  findOrg,
  findSession,
  listMemberships,
  someOrgIds,
  touchApiKeys,
} from "../../store/records/identity.ts";
import type { Role } from "../../store/records/schema.ts";
import type { Config } from "../config.ts";
import { AppError, invalid } from "../http/errors.ts";
import { checkOrigin } from "../http/guard.ts";
import type { Clock } from "../platform/clock.ts";
import type { Actor } from "./actor.ts";
import { hashSecret, isEqualSecret, isWellFormedSecret } from "./key-secrets.ts";
import { expandScopes, SCOPES, type Scope, scopesOfRole } from "./scopes.ts";
import { readSessionCookie, SESSION_MS } from "./session-cookie.ts";

/** A credential that was checked, before the request says for which org it is used. */
export interface Credential {
  type: Actor["type"];
  id: string;
  userId: string | null;
  /** The org it stands for when the request names none. */
  orgId: string;
  /** Every org it may stand for, with the role there. */
  orgs: ReadonlyMap<string, { role: Role | null; scopes: ReadonlySet<Scope> }>;
  /** Set when the session's cookie should be sent again with a new lifetime. */
  renewedSession: string | null;
}

/** Checks who makes a request. Keys and sessions are remembered for 30 s; `forget…` makes a change count at once. */
export interface Credentials {
  /**
   * The first credential given decides: bearer token, session cookie, internal token (on `/internal/` only).
   * @returns null when none is given
   * @throws AppError `unauthorized` when it is not good, `forbidden` for a foreign Origin
   */
  check(request: Request, path: string): Promise<Credential | null>;
  forgetKey(id: string): void;
  forgetSession(hash: string): void;
  /** Writes when keys were last used: they are collected, so that reading does not write. */
  flushUses(): Promise<void>;
}

interface Remembered {
  credential: Credential;
  expiresAt: number;
  until: number;
}

const REMEMBER_MS = 30_000;
const MAX_REMEMBERED = 10_000;
/** A session's lifetime slides, but is not written at every request. */
const EXTEND_AFTER_MS = 60 * 60_000;
const EVERY_SCOPE = expandScopes(SCOPES);

export function createCredentials(deps: {
  config: Pick<Config, "publicUrl" | "trustOrgHeader" | "settings">;
  clock: Pick<Clock, "now" | "monotonic">;
  records: Records;
}): Credentials {
  const { config, clock, records } = deps;
  const remembered = new Map<string, Remembered>();
  const uses = new Map<string, number>();

  /** What is known of a secret's hash: remembered, else looked up. */
  async function known(
    hash: string,
    look: (hash: string, now: number) => Promise<Omit<Remembered, "until"> | null>,
  ): Promise<Credential | null> {
    const now = clock.now();
    const found = remembered.get(hash);
    if (found && clock.monotonic() < found.until) {
      return now < found.expiresAt ? found.credential : null;
    }
    const fresh = await look(hash, now);
    if (!fresh || now >= fresh.expiresAt) {
      remembered.delete(hash);
      return null;
    }
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    // A renewed cookie is sent once, not for as long as the session is remembered.
    const kept = { ...fresh.credential, renewedSession: null };
    remembered.set(hash, { ...fresh, credential: kept, until: clock.monotonic() + REMEMBER_MS });
    return fresh.credential;
  }

  async function lookUpKey(hash: string): Promise<Omit<Remembered, "until"> | null> {
    const key = await findApiKeyByHash(records, hash);
    if (!key || !isEqualSecret(key.hash, hash) || key.revoked_at !== null) return null;
    const scopes = expandScopes(JSON.parse(key.scopes) as Scope[]);
    return {
      expiresAt: key.expires_at ?? Number.POSITIVE_INFINITY,
      credential: {
        type: "api_key",
        id: key.id,
        userId: key.user_id,
        orgId: key.org_id,
        orgs: new Map([[key.org_id, { role: null, scopes }]]),
        renewedSession: null,
      },
    };
  }

  function lookUpSession(token: string) {
    return async (hash: string, now: number): Promise<Omit<Remembered, "until"> | null> => {
      const session = await findSession(records, hash);
      if (!session || !isEqualSecret(session.hash, hash)) return null;
      const isDue = session.expires_at > now && now - session.last_seen_at >= EXTEND_AFTER_MS;
      const expiresAt = isDue ? now + SESSION_MS : session.expires_at;
      if (isDue) await extendSession(records, hash, { last_seen_at: now, expires_at: expiresAt });
      const memberships = await listMemberships(records, session.user_id);
      return {
        expiresAt,
        credential: {
          type: "session",
          id: hash.slice(0, 16),
          userId: session.user_id,
          orgId: session.org_id,
          orgs: new Map(
            memberships.map(({ org_id, role }) => [org_id, { role, scopes: scopesOfRole(role) }]),
          ),
          renewedSession: isDue ? token : null,
        },
      };
    };
  }

  async function byBearer(header: string): Promise<Credential> {
    const secret = /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (!secret) throw unauthorized("The Authorization header must be: Bearer <API key>.");
    const credential = isWellFormedSecret(secret) ? await known(hashSecret(secret), lookUpKey) : null;
    if (!credential) throw unauthorized("The API key is not known, was revoked or has expired.");
    uses.set(credential.id, clock.now());
    return credential;
  }

  async function byCookie(token: string, request: Request): Promise<Credential> {
    const credential = await known(hashSecret(token), lookUpSession(token));
    if (!credential) throw unauthorized("The session has ended; sign in again.");
    checkOrigin(request, config.publicUrl);
    return credential;
  }

  async function byInternalToken(token: string, request: Request): Promise<Credential> {
    const expected = config.settings.internal_service_token;
    if (!expected || !isEqualSecret(token, expected)) throw unauthorized("The internal token is not right.");
    const named = namedOrg(request.headers);
    const orgIds = await someOrgIds(records);
    if (named === null && orgIds.length > 1)
      throw invalid("There are several orgs: say in the x-org-id header which one this is for.");
    const orgId = named === null || !(await findOrg(records, named)) ? orgIds[0]! : named;
    return trusted("internal", orgId);
  }

  async function byOrgHeader(orgId: string): Promise<Credential> {
    if (!(await findOrg(records, orgId))) throw unauthorized("The org in x-product-org does not exist.");
    return trusted("org_header", orgId);
  }

  return {
    async check(request, path) {
      const { headers } = request;
      const authorization = headers.get("authorization");
      if (authorization !== null) return byBearer(authorization);
      const cookie = headers.get("cookie");
      const session = cookie === null ? null : readSessionCookie(cookie);
      if (session !== null) return byCookie(session, request);
      if (path.startsWith("/internal/")) {
        const token = headers.get("x-internal-token") ?? headers.get("internal_service_token");
        if (token !== null) return byInternalToken(token, request);
      }
      const org = config.trustOrgHeader ? headers.get("x-product-org") : null;
      return org === null ? null : byOrgHeader(org);
    },
    forgetKey(id) {
      for (const [hash, { credential }] of remembered)
        if (credential.type === "api_key" && credential.id === id) remembered.delete(hash);
    },
    forgetSession: (hash) => void remembered.delete(hash),
    async flushUses() {
      const pending = new Map(uses);
      uses.clear();
      if (pending.size > 0) await records.transaction().execute((trx) => touchApiKeys(trx, pending));
    },
  };
}

function trusted(type: "internal" | "org_header", orgId: string): Credential {
  const grant = { role: null, scopes: EVERY_SCOPE };
  return { type, id: type, userId: null, orgId, orgs: new Map([[orgId, grant]]), renewedSession: null };
}

/** The org that the request names in `x-org-id` or `x-product-org`, which mean the same. */
function namedOrg(headers: Headers): string | null {
  const id = headers.get("x-org-id");
  const product = headers.get("x-product-org");
  if (id !== null && product !== null && id !== product)
    throw invalid("The headers x-org-id and x-product-org name different orgs: send one of them.");
  return id ?? product;
}

/**
 * The credential used for the org that the request names, else for its own.
 * @throws AppError `wrong_org`, or `invalid_request` when the two org headers differ
 */
export function toActor(credential: Credential, headers: Headers, ip: string | null): Actor {
  const orgId = namedOrg(headers) ?? credential.orgId;
  const grant = credential.orgs.get(orgId);
  if (!grant)
    throw new AppError("wrong_org", "This credential does not belong to the org that the request names.");
  const { type, id, userId } = credential;
  return { type, id, userId, orgId, role: grant.role, scopes: grant.scopes, ip };
}

/** A 401; RFC 9110 asks for the challenge. */
export function unauthorized(message: string): AppError {
  return new AppError("unauthorized", message, { headers: { "www-authenticate": "Bearer" } });
}
