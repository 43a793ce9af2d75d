import {
  decideSignup,
  findWaitingSignup,
  insertSignup,
  regrantKey,
  type SignupRow,
} from "../../../store/records/agent-signups.ts";
import { findListedKey, insertLimitedKey } from "../../../store/records/api-keys.ts";
import type { Db } from "../../../store/records/db.ts";
import { revokeApiKey, someOrgIds } from "../../../store/records/identity.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { createSecret, hashSecret } from "../key-secrets.ts";
import { type KeyView, MOST_KEYS, toKeyView } from "../keys/model.ts";
import { expiry, refuseForeignScopes } from "../keys/service.ts";
import {
  type CreatedSignup,
  MOST_WAITING,
  type NewSignup,
  type SignupGrant,
  type SignupView,
  toSignupView,
  UNVERIFIED_MS,
  UNVERIFIED_SCOPES,
  VERIFIED_MS,
} from "./model.ts";
import { createUserCode, readUserCode } from "./user-code.ts";

type SignupDeps = CommitDeps &
  Pick<Deps, "store" | "clock" | "ids" | "credentials" | "config" | "anonymousLimits" | "addressOf">;

/**
 * Gives an agent that nobody knows a service token of the first org, which may do little and ends after a day unless a person
 * verifies it. The code that it is verified by (after RFC 8628) stands in no address: a person types what the agent shows.
 * @param origin of the address where the person goes
 * @throws AppError `forbidden` where the settings do not allow it, `rate_limited`, `conflict` when too many wait
 */
export async function signUp(
  deps: SignupDeps,
  wanted: NewSignup,
  { request, origin }: { request: Request; origin: string },
): Promise<CreatedSignup> {
  if (!deps.config.settings.agent_signup)
    throw new AppError(
      "forbidden",
      "Agents cannot sign up here by themselves: a person makes a token for them, or sets agent_signup in settings.json.",
    );
  deps.anonymousLimits.take("agent_signup", request);
  const now = deps.clock.now();
  const [orgId = ""] = await someOrgIds(deps.store.records);
  const { secret, prefix } = createSecret("svc", deps.ids);
  const code = createUserCode(deps.ids);
  const id = deps.ids.uuid();
  const ip = deps.addressOf(request);
  const expires_at = now + UNVERIFIED_MS;
  const full =
    "Too many agents wait to be verified here: one of the org's people has to look after them first.";
  await commit(deps, async (trx) => {
    const key = {
      ...{ id, org_id: orgId, user_id: null, kind: "svc" as const, name: wanted.name, prefix },
      ...{ hash: hashSecret(secret), scopes: JSON.stringify(UNVERIFIED_SCOPES), created_at: now, expires_at },
      ...{ revoked_at: null, last_used_at: null, made_by: null },
    };
    const signup = {
      ...{ key_id: id, org_id: orgId, purpose: wanted.purpose, code_hash: hashSecret(code), ip },
      ...{ status: "unverified" as const, created_at: now, expires_at },
    };
    if (!(await insertLimitedKey(trx, key, { most: MOST_KEYS, now }))) throw conflict(full);
    if (!(await insertSignup(trx, signup, { most: MOST_WAITING, now }))) throw conflict(full);
    const detail = { ...wanted, scopes: UNVERIFIED_SCOPES };
    const agent = { orgId, type: "svc" as const, id, ip };
    await auditAct(trx, agent, { at: now, action: "agent_signup.request", target: id, detail });
  });
  return {
    id,
    token: secret,
    status: "unverified",
    scopes: [...UNVERIFIED_SCOPES],
    user_code: code,
    verification_uri: `${origin}/settings/tokens/verify`,
    expires_at: toIso(expires_at),
  };
}

/**
 * Who waits under a code that a person has typed.
 * @throws AppError `not_found`, `rate_limited` after too many codes that are none
 */
export async function lookUpSignup(
  deps: SignupDeps,
  actor: Actor,
  userCode: string,
  request: Request,
): Promise<SignupView> {
  return toSignupView(await waitingUnder(deps, deps.store.records, actor, userCode, request));
}

/**
 * Verifies an agent: from now on its token has these scopes, of those that the actor has.
 * @throws AppError `not_found`, `rate_limited`, `forbidden` for scopes that the actor lacks, `invalid_request`
 */
export async function grantSignup(
  deps: SignupDeps,
  actor: Actor,
  { user_code, scopes, expires_at }: SignupGrant,
  request: Request,
): Promise<KeyView> {
  refuseForeignScopes(actor, scopes);
  const now = deps.clock.now();
  const end = expires_at === undefined ? now + VERIFIED_MS : expiry(expires_at, now);
  return commit(deps, async (trx, after) => {
    const { key_id: id, name } = await waitingUnder(deps, trx, actor, user_code, request);
    if (!(await decideSignup(trx, { keyId: id, status: "verified", by: actor.userId, now })))
      throw notWaiting();
    await regrantKey(trx, id, { scopes: JSON.stringify(scopes), expires_at: end, made_by: actor.userId });
    const detail = { name, scopes, expires_at: end === null ? null : toIso(end) };
    await auditAct(trx, actor, { at: now, action: "agent_signup.grant", target: id, detail });
    after.follow(() => deps.credentials.forgetKey(id));
    return toKeyView((await findListedKey(trx, id))!);
  });
}

/** Refuses an agent: its token ends. @throws AppError `not_found`, `rate_limited` */
export async function refuseSignup(
  deps: SignupDeps,
  actor: Actor,
  userCode: string,
  request: Request,
): Promise<void> {
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const { key_id: id, name } = await waitingUnder(deps, trx, actor, userCode, request);
    if (!(await decideSignup(trx, { keyId: id, status: "refused", by: actor.userId, now })))
      throw notWaiting();
    await revokeApiKey(trx, id, now);
    await auditAct(trx, actor, { at: now, action: "agent_signup.refuse", target: id, detail: { name } });
    after.follow(() => deps.credentials.forgetKey(id));
  });
}

async function waitingUnder(
  deps: SignupDeps,
  db: Db,
  { orgId }: Actor,
  userCode: string,
  request: Request,
): Promise<SignupRow> {
  const code = readUserCode(userCode);
  const found =
    code && (await findWaitingSignup(db, { orgId, codeHash: hashSecret(code), now: deps.clock.now() }));
  if (found) return found;
  deps.anonymousLimits.take("failed_sign_in", request);
  throw notWaiting();
}

const notWaiting = () => notFound("An agent that waits under this code");
