import type { Trx } from "../../../store/records/db.ts";
import { findOwner, insertSigninCode, useSigninCode } from "../../../store/records/identity.ts";
import { endSessions, listSessions } from "../../../store/records/sessions.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { type After, type CommitDeps, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { hashSecret } from "../key-secrets.ts";
import { type SessionList, toSessionView } from "./model.ts";
import { type Device, deviceOf, openSession, SECRET_LENGTH } from "./open.ts";

type SessionDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "credentials">;

const CODE_MS = 10 * 60_000;

/** A link that signs the org's owner in once, within 10 minutes. `base` is the server's address. */
export async function createSigninLink(
  deps: Pick<Deps, "store" | "clock" | "ids">,
  options: { orgId: string; base: string; next?: string },
): Promise<{ url: string; expires_at: string }> {
  const owner = await findOwner(deps.store.records, options.orgId);
  if (!owner) throw new AppError("not_found", "This org has no owner to sign in.");
  const code = deps.ids.secret(SECRET_LENGTH);
  const now = deps.clock.now();
  await insertSigninCode(deps.store.records, {
    hash: hashSecret(code),
    user_id: owner.id,
    org_id: options.orgId,
    created_at: now,
    expires_at: now + CODE_MS,
  });
  const query = new URLSearchParams({ code, ...(options.next ? { next: options.next } : {}) });
  return { url: `${options.base}/signin?${query}`, expires_at: toIso(now + CODE_MS) };
}

/**
 * Trades a one-time code for a session's token.
 * @throws AppError `unauthorized` when the code is unknown, used or expired
 */
export async function signIn(deps: SessionDeps, code: string, device: Device): Promise<string> {
  return commit(deps, async (trx, after) => {
    const used = await useSigninCode(trx, hashSecret(code), deps.clock.now());
    if (!used)
      throw new AppError(
        "unauthorized",
        "This sign-in link was used before or has expired. Run `tracedeck signin` for a new one.",
        { headers: { "www-authenticate": "Bearer" } },
      );
    const { user_id: userId, org_id: orgId } = used;
    return openSession(deps, trx, after, { userId, orgId, method: "link", device });
  });
}

/**
 * Signs in as often as the limits per address allow. Whoever is refused for it has not used the code up.
 * @throws AppError `rate_limited`, or what `signIn` throws
 */
export async function limitedSignIn(
  deps: SessionDeps & Pick<Deps, "anonymousLimits" | "addressOf">,
  code: string,
  request: Request,
): Promise<string> {
  deps.anonymousLimits.check("sign_in", request);
  try {
    const token = await signIn(deps, code, deviceOf(deps, request));
    deps.anonymousLimits.count("sign_in", request);
    return token;
  } catch (error) {
    if (error instanceof AppError && error.kind === "unauthorized")
      deps.anonymousLimits.take("failed_sign_in", request);
    throw error;
  }
}

/** Ends the session that the actor came with; anything else that is signed in stays. */
export async function signOut(deps: SessionDeps, actor: SignedIn): Promise<void> {
  const at = deps.clock.now();
  await commit(deps, async (trx, after) => {
    await endThose(deps, trx, after, actor.userId, { id: actor.id });
    await auditAct(trx, actor, { at, action: "session.signout", target: actor.id, detail: {} });
  });
}

/** @throws AppError `forbidden` for whoever has no session */
export async function listOwnSessions(deps: SessionDeps, actor: Actor): Promise<SessionList> {
  const { id, userId } = requireSession(actor);
  const rows = await listSessions(deps.store.records, userId, deps.clock.now());
  return { items: rows.map((row) => toSessionView(row, id)) };
}

/** @throws AppError `not_found`; another user's session counts as none. `forbidden` for whoever has no session */
export async function endSession(deps: SessionDeps, actor: Actor, id: string): Promise<void> {
  const { userId } = requireSession(actor);
  const at = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const ended = await endThose(deps, trx, after, userId, { id });
    if (ended === 0) throw notFound("This session");
    await auditAct(trx, actor, { at, action: "session.end", target: id, detail: {} });
  });
}

/** @throws AppError `forbidden` for whoever has no session */
export async function endOtherSessions(deps: SessionDeps, actor: Actor): Promise<{ ended: number }> {
  const { id, userId } = requireSession(actor);
  const at = deps.clock.now();
  return commit(deps, async (trx, after) => {
    const ended = await endThose(deps, trx, after, userId, { exceptId: id });
    await auditAct(trx, actor, { at, action: "session.end_others", target: userId, detail: { ended } });
    return { ended };
  });
}

/** Ends sessions of a user in a transaction; they count as ended as soon as it is in. @returns how many */
export async function endThose(
  deps: Pick<Deps, "credentials">,
  trx: Trx,
  after: Pick<After, "then">,
  userId: string,
  meant: Parameters<typeof endSessions>[2],
): Promise<number> {
  const ended = await endSessions(trx, userId, meant);
  after.then(() => {
    for (const { hash } of ended) deps.credentials.forgetSession(hash);
  });
  return ended.length;
}

type SignedIn = Actor & { type: "session" };

/** @throws AppError `forbidden` for whoever came with something else than a session */
export function requireSession(actor: Actor): SignedIn {
  if (actor.type === "session") return actor;
  throw new AppError("forbidden", "This is for a person who is signed in; keys and tokens cannot do it.");
}
