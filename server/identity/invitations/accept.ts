import type { Db, Trx } from "../../../store/records/db.ts";
import { findUser, insertUser } from "../../../store/records/identity.ts";
import { openInvitation, userOfAddress } from "../../../store/records/invitations.ts";
import { findMember } from "../../../store/records/members.ts";
import { switchSession } from "../../../store/records/orgs.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound, unauthorized } from "../../http/errors.ts";
import { type After, type CommitDeps, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { takeAccount } from "../account-holder.ts";
import type { Actor } from "../actor.ts";
import { hashSecret } from "../key-secrets.ts";
import { plainAddress } from "../mail/address.ts";
import { passwordFault } from "../passwords.ts";
import { type Device, openSession } from "../sessions/open.ts";
import { isOnlyBySso, refuseBesideSso } from "../signin/home.ts";
import { useInvitation } from "../signin/join.ts";
import type { Acceptance, Accepted, OpenedInvitation } from "./model.ts";

type AcceptDeps = CommitDeps &
  Pick<Deps, "store" | "clock" | "ids" | "config" | "credentials" | "identityState">;
/** Who is signed in where a link is opened. */
type Visitor = (Actor & { type: "session" }) | null;

/**
 * What a link invites to.
 * @throws AppError `not_found` for a link that was never made, was used, revoked or replaced, or has expired
 */
export async function lookAtInvitation(
  deps: AcceptDeps,
  visitor: Visitor,
  token: string,
): Promise<OpenedInvitation> {
  const { records } = deps.store;
  const found = await openInvitation(records, hashSecret(token), deps.clock.now());
  if (!found) throw noInvitation();
  return {
    org_name: found.org_name,
    email: found.email,
    role: found.role,
    expires_at: toIso(found.expires_at),
    signed_in_as: await addressOf(records, visitor),
  };
}

/**
 * Accepts an invitation, once: as whoever is signed in with its address, or as somebody new. A member stays in the role
 * that they have.
 * @returns the token of a new session besides, where one was opened
 * @throws AppError `not_found` as above, `invalid_request` for a bad password, `forbidden` for another address, `unauthorized` when its address has an account,
 * `forbidden` where people sign in by the identity provider alone: signing in with it accepts the invitation
 */
export async function acceptInvitation(
  deps: AcceptDeps,
  visitor: Visitor,
  { token, name, password }: Acceptance,
  device: Device,
): Promise<Accepted & { session: string | null }> {
  const now = deps.clock.now();
  const isNew = visitor === null && password !== undefined;
  // Hashing takes long, and a transaction waits for nothing.
  const hash = isNew ? await hashFor(deps, visitor, token, password) : null;
  return commit(deps, async (trx, after) => {
    const invitation = await openInvitation(trx, hashSecret(token), now);
    if (!invitation) throw noInvitation();
    const { org_id: orgId, email } = invitation;
    const who = { ...(visitor ?? { type: "system" as const, id: "tracedeck" }), orgId, ip: device.ip };
    const known = await visitorsId(trx, visitor, email);
    const isMember = known !== null && (await findMember(trx, { orgId, userId: known })) !== undefined;
    if (visitor && known !== null && !isMember)
      await takeAccount(deps, trx, after, { userId: known, who, kept: { sessionId: visitor.id } });
    const userId = known ?? (await newUser(deps, trx, { email, name, hash }));
    const wasOnlyBySso = await isOnlyBySso(deps, trx, userId);
    await useInvitation(deps, trx, after, { invitation, userId, who });
    // Signing in with the identity provider accepts it instead.
    if (!wasOnlyBySso) await refuseBesideSso(deps, trx, userId);
    const session = await enter(deps, trx, after, { visitor, userId, orgId, device });
    return { org_id: orgId, session };
  });
}

/** Has the visitor's session stand for the org, or opens one. */
async function enter(
  deps: AcceptDeps,
  trx: Trx,
  after: Pick<After, "follow">,
  { visitor, userId, orgId, device }: { visitor: Visitor; userId: string; orgId: string; device: Device },
): Promise<string | null> {
  if (visitor) {
    const hash = await switchSession(trx, { id: visitor.id, userId, orgId });
    if (hash !== null) after.follow(() => deps.credentials.forgetSession(hash));
    return null;
  }
  return openSession(deps, trx, after, { userId, orgId, method: "invitation", device });
}

/** The visitor's id, when the invitation is theirs; null when nobody has its address yet. */
async function visitorsId(trx: Trx, visitor: Visitor, email: string): Promise<string | null> {
  const theirs = await addressOf(trx, visitor);
  if (visitor && theirs === email) return visitor.userId;
  if (theirs !== null)
    throw new AppError(
      "forbidden",
      `This invitation is for ${email}, and you are signed in as ${theirs}: sign out, or sign in with that address.`,
    );
  if ((await userOfAddress(trx, email)) === undefined) return null;
  throw unauthorized(`Sign in as ${email}, then open the link again.`);
}

/** @throws AppError `invalid_request` saying what is wrong with the password */
async function hashFor(deps: AcceptDeps, visitor: Visitor, token: string, password: string): Promise<string> {
  const { email } = await lookAtInvitation(deps, visitor, token);
  const fault = passwordFault(password, email);
  if (fault !== null) throw invalid(fault);
  return deps.identityState.passwords.hash(password);
}

async function newUser(
  deps: AcceptDeps,
  trx: Trx,
  { email, name, hash }: { email: string; name: string | undefined; hash: string | null },
): Promise<string> {
  const id = deps.ids.uuid();
  const shown = name?.trim() ?? email.slice(0, email.lastIndexOf("@"));
  await insertUser(trx, { id, email, name: shown, password_hash: hash, created_at: deps.clock.now() });
  return id;
}

async function addressOf(db: Db, visitor: Visitor): Promise<string | null> {
  const user = visitor && (await findUser(db, visitor.userId));
  return user ? plainAddress(user.email) : null;
}

const noInvitation = () => notFound("This invitation (it was used, revoked or replaced, or has expired)");
