import { createHash } from "node:crypto";
import { recordAudit } from "../../../store/records/audit.ts";
import type { Trx } from "../../../store/records/db.ts";
import { listMemberships } from "../../../store/records/identity.ts";
import { findOAuthClient, touchOAuthClient } from "../../../store/records/oauth-clients.ts";
import {
  deleteOAuthToken,
  extendGrant,
  findGrant,
  findGrantByCode,
  findOAuthToken,
  insertOAuthTokens,
  type OAuthGrantRow,
  revokeGrant,
  revokeSurplusGrants,
  useGrantCode,
  useRefreshToken,
} from "../../../store/records/oauth-grants.ts";
import type { Deps } from "../../deps.ts";
import { OAuthError } from "../../http/oauth-error.ts";
import { rateLimited } from "../../http/rate-limits.ts";
import { type After, type CommitDeps, commit } from "../../jobs/commit.ts";
import { createSecret, hashSecret, isEqualSecret, oauthTokenKind } from "../key-secrets.ts";
import { type AgentScope, isGrantable } from "../scopes.ts";
import { unknownClient } from "./clients.ts";
import { type Form, requireField } from "./form.ts";
import { readResource } from "./resources.ts";
import { readScopes } from "./scope-text.ts";

type TokenDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "credentials" | "rateLimits">;

/** Who asks, and of which address of this server. */
export interface Asking {
  origins: readonly string[];
  ip: string | null;
}

/** What a client gets (RFC 6749, section 5.1). */
export interface TokenAnswer {
  access_token: string;
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  refresh_token: string;
  scope: string;
}

const ACCESS_MS = 60 * 60_000;
const REFRESH_MS = 90 * 24 * 60 * 60_000;
/** Who comes second within this time is taken for the same client, which asked twice at once. */
const REUSE_GRACE_MS = 10_000;
/** What one person has granted one program in an org at the same time: one for each place it runs in. */
const MOST_GRANTS = 50;

/**
 * Trades a code or a refresh token for tokens.
 * @throws OAuthError; AppError `rate_limited`
 */
export async function grantTokens(deps: TokenDeps, form: Form, asking: Asking): Promise<TokenAnswer> {
  const kind = requireField(form, "grant_type");
  if (kind !== "authorization_code" && kind !== "refresh_token")
    throw new OAuthError(
      "unsupported_grant_type",
      'The parameter grant_type must be "authorization_code" or "refresh_token".',
    );
  const client = await requireKnownClient(deps, form);
  const given = form.get("resource");
  const resource = given === undefined ? null : readResource(given, asking.origins);
  const call = { deps, form, asking, client, resource, now: deps.clock.now() };
  // A refusal that ends a grant is a change too: it is thrown after the commit.
  const outcome = await commit(deps, (trx, after) =>
    kind === "authorization_code" ? tradeCode(call, trx, after) : tradeRefreshToken(call, trx, after),
  );
  if (outcome instanceof OAuthError) throw outcome;
  return outcome;
}

/**
 * Ends a token: a refresh token with its whole family, an access token alone (RFC 7009). One that is not known is ended already.
 * @throws OAuthError
 */
export async function revokeToken(deps: TokenDeps, form: Form, asking: Asking): Promise<void> {
  const token = requireField(form, "token");
  const client = await requireKnownClient(deps, form);
  const kind = oauthTokenKind(token);
  if (kind === null || kind === "oac") return;
  const hash = hashSecret(token);
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const found = await findOAuthToken(trx, hash);
    const grant = found && (await findGrant(trx, found.grant_id));
    if (!grant) return;
    if (grant.client_id !== client.id)
      throw new OAuthError("invalid_grant", "The token was issued to another client.");
    if (kind === "ort" && !(await revokeGrant(trx, grant.id, now))) return;
    if (kind === "oat") await deleteOAuthToken(trx, hash);
    after.follow(() =>
      kind === "ort" ? deps.credentials.forgetGrant(grant.id) : deps.credentials.forgetToken(hash),
    );
    await note(trx, grant, asking, now, "oauth_token.revoke", {
      token: kind === "ort" ? "refresh" : "access",
    });
  });
}

interface Call {
  deps: TokenDeps;
  form: Form;
  asking: Asking;
  client: { id: string; client_id: string };
  /** Null where the client names none: then it is that of the grant. */
  resource: string | null;
  now: number;
}

async function tradeCode(call: Call, trx: Trx, after: After): Promise<TokenAnswer | OAuthError> {
  const { form, client, now } = call;
  const code = requireField(form, "code");
  const verifier = requireField(form, "code_verifier");
  const hash = hashSecret(code);
  const grant = await findGrantByCode(trx, hash);
  if (!grant || !isEqualSecret(grant.code_hash, hash) || grant.client_id !== client.id)
    return badGrant("The code is not known, has expired, or was issued to another client.");
  if (grant.code_used_at !== null) return endFamily(call, trx, after, grant, "code");
  if (grant.code_expires_at <= now || grant.revoked_at !== null) return badGrant("The code has expired.");
  if ((form.get("redirect_uri") ?? grant.redirect_uri) !== grant.redirect_uri)
    return badGrant("The redirect_uri is another one than the code was sent to.");
  if (!answersChallenge(verifier, grant.code_challenge))
    return badGrant("The code_verifier does not fit the code_challenge.");
  const scopes = await scopesNow(trx, grant);
  if (scopes.length === 0) return leftOrg();
  if (!(await useGrantCode(trx, grant.id, { now, expiresAt: now + REFRESH_MS })))
    return endFamily(call, trx, after, grant, "code");
  const of = { orgId: grant.org_id, userId: grant.user_id, clientId: client.id };
  const ended = await revokeSurplusGrants(trx, { ...of, most: MOST_GRANTS, now });
  for (const id of ended) after.follow(() => call.deps.credentials.forgetGrant(id));
  return issue(call, trx, grant, { scopes, narrowed: null });
}

async function tradeRefreshToken(call: Call, trx: Trx, after: After): Promise<TokenAnswer | OAuthError> {
  const { form, client, now } = call;
  const hash = hashSecret(requireField(form, "refresh_token"));
  const token = await findOAuthToken(trx, hash);
  const grant =
    token?.kind === "refresh" && isEqualSecret(token.hash, hash) && (await findGrant(trx, token.grant_id));
  if (
    !token ||
    !grant ||
    grant.client_id !== client.id ||
    grant.revoked_at !== null ||
    token.expires_at <= now
  )
    return badGrant("The refresh token is not known, was revoked, has expired, or is another client's.");
  if (token.used_at !== null)
    return now - token.used_at <= REUSE_GRACE_MS
      ? badGrant("The refresh token was used a moment ago: use the one that came of it.")
      : endFamily(call, trx, after, grant, "refresh_token");
  const held = await scopesNow(trx, grant);
  if (held.length === 0) return leftOrg();
  const asked = form.get("scope") === undefined ? null : readScopes(form.get("scope"));
  const given = JSON.parse(grant.scopes) as AgentScope[];
  if (asked?.some((scope) => !given.includes(scope)))
    throw new OAuthError("invalid_scope", "A refresh token gives no more than was granted.");
  const isUsed = await useRefreshToken(trx, hash, now);
  if (!isUsed || !(await extendGrant(trx, grant.id, now + REFRESH_MS)))
    return badGrant("The refresh token was used or revoked a moment ago.");
  const scopes = asked ? held.filter((scope) => asked.includes(scope)) : held;
  return issue(call, trx, grant, { scopes, narrowed: asked });
}

async function issue(
  { deps, form, asking, client, resource, now }: Call,
  trx: Trx,
  grant: OAuthGrantRow,
  { scopes, narrowed }: { scopes: AgentScope[]; narrowed: AgentScope[] | null },
): Promise<TokenAnswer> {
  if (resource !== null && resource !== grant.resource)
    throw new OAuthError("invalid_target", "The grant is for another resource.");
  const taken = deps.rateLimits.take(grant.org_id, "write");
  if (!taken.allowed) throw rateLimited("requests for this org", taken);
  const access = createSecret("oat", deps.ids).secret;
  const refresh = createSecret("ort", deps.ids).secret;
  const row = { grant_id: grant.id, created_at: now };
  await insertOAuthTokens(trx, [
    {
      ...row,
      hash: hashSecret(access),
      kind: "access",
      scopes: narrowed && JSON.stringify(narrowed),
      expires_at: now + ACCESS_MS,
    },
    { ...row, hash: hashSecret(refresh), kind: "refresh", scopes: null, expires_at: now + REFRESH_MS },
  ]);
  await touchOAuthClient(trx, client.id, now);
  const detail = { client_id: client.client_id, grant_type: form.get("grant_type"), scopes };
  await note(trx, grant, asking, now, "oauth_token.grant", detail);
  return {
    access_token: access,
    token_type: "Bearer",
    expires_in: ACCESS_MS / 1000,
    refresh_token: refresh,
    scope: scopes.join(" "),
  };
}

/** What was used once came again: whoever has it may have stolen it, so that all that came of it ends. */
async function endFamily(
  { deps, asking, client, now }: Call,
  trx: Trx,
  after: After,
  grant: OAuthGrantRow,
  reused: "code" | "refresh_token",
): Promise<OAuthError> {
  if (await revokeGrant(trx, grant.id, now)) {
    after.follow(() => deps.credentials.forgetGrant(grant.id));
    await note(trx, grant, asking, now, "oauth_token.reuse", { client_id: client.client_id, reused });
  }
  const what = reused === "code" ? "code" : "refresh token";
  return badGrant(`The ${what} was used before: all that came of it is revoked.`);
}

/** What of a grant its person's role still allows; nothing when the person has left the org. */
async function scopesNow(trx: Trx, grant: OAuthGrantRow): Promise<AgentScope[]> {
  const memberships = await listMemberships(trx, grant.user_id);
  const role = memberships.find(({ org_id }) => org_id === grant.org_id)?.role;
  if (!role) return [];
  return (JSON.parse(grant.scopes) as AgentScope[]).filter((scope) => isGrantable(role, scope));
}

async function requireKnownClient(
  { store }: TokenDeps,
  form: Form,
): Promise<{ id: string; client_id: string }> {
  const client = await findOAuthClient(store.records, requireField(form, "client_id"));
  if (!client) throw unknownClient();
  return client;
}

/** RFC 7636, section 4.6. */
function answersChallenge(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  return isEqualSecret(createHash("sha256").update(verifier).digest("base64url"), challenge);
}

function note(
  trx: Trx,
  grant: OAuthGrantRow,
  { ip }: Asking,
  at: number,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> {
  const actor = { type: "oauth", id: grant.id };
  const whole = { user_id: grant.user_id, ...detail };
  return recordAudit(trx, { orgId: grant.org_id, at, actor, action, target: grant.id, ip, detail: whole });
}

const badGrant = (message: string) => new OAuthError("invalid_grant", message);
const leftOrg = () =>
  badGrant("The person who granted this has left the organisation, or may no longer grant it.");
