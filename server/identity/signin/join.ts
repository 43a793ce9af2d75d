import type { Trx } from "../../../store/records/db.ts";
import { addUser } from "../../../store/records/identity.ts";
import { type InvitationRow, invitationFor, removeInvitation } from "../../../store/records/invitations.ts";
import { addMember } from "../../../store/records/members.ts";
import { findUserByEmail } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { confirmHolder, type Kept, takeAccount } from "../account-holder.ts";
import { type AuditActor, auditAct } from "../audit.ts";
import { plainAddress } from "../mail/address.ts";
import { firstOrgId } from "../orgs.ts";
import { isSsoEnforced } from "./home.ts";

const MAX_NAME_LENGTH = 200;

export type JoinDeps = Pick<Deps, "clock" | "ids" | "config" | "credentials" | "identityState">;
interface Newcomer {
  email: string;
  name: string | null;
  ip: string | null;
  /** By what they have shown to hold the address; null for a link that others may have read. */
  confirmedBy: Kept | null;
}

/** Makes a person of a verified domain, who has not been here, a member of an org. @returns the user's id */
export async function joinByDomain(
  deps: JoinDeps,
  trx: Trx,
  after: Pick<After, "follow">,
  person: Newcomer & { orgId: string },
): Promise<string> {
  const { orgId, ip } = person;
  const created_at = deps.clock.now();
  const who = { orgId, type: "system" as const, id: "tracedeck", ip };
  const id = await userOf(deps, trx, after, { ...person, who });
  if (!(await addMember(trx, { org_id: orgId, user_id: id, role: "member", created_at }))) return id;
  await auditAct(trx, who, {
    at: created_at,
    action: "member.join",
    target: id,
    detail: { by: "verified_domain", role: "member" },
  });
  return id;
}

/**
 * The invitation that a sign-in with a confirmed address accepts. The identity provider speaks for the first org alone, and
 * while it is enforced there no other way leads in.
 */
export async function invitationOf(
  deps: Pick<Deps, "clock" | "config" | "identityState">,
  trx: Trx,
  address: string,
  by: "sso" | "code_host" | "magic_link",
): Promise<InvitationRow | undefined> {
  const first = await firstOrgId(trx);
  const asked = { email: plainAddress(address), now: deps.clock.now() };
  if (by === "sso") return first === null ? undefined : invitationFor(trx, { ...asked, orgId: first });
  return invitationFor(trx, { ...asked, notOrgId: isSsoEnforced(deps) && first ? first : undefined });
}

/** Accepts an invitation for whom a sign-in shows to have its address. @returns the user's id */
export async function joinByInvitation(
  deps: JoinDeps,
  trx: Trx,
  after: Pick<After, "follow">,
  { invitation, ip, ...person }: Omit<Newcomer, "email"> & { invitation: InvitationRow },
): Promise<string> {
  const who = { orgId: invitation.org_id, type: "system" as const, id: "tracedeck", ip };
  const userId = await userOf(deps, trx, after, { ...person, email: invitation.email, who });
  await useInvitation(deps, trx, after, { invitation, userId, who });
  return userId;
}

/** Uses an invitation up: its user is a member with its role, or stays one in the role that they have. */
export async function useInvitation(
  deps: Pick<Deps, "clock" | "credentials">,
  trx: Trx,
  after: Pick<After, "follow">,
  { invitation, userId, who }: { invitation: InvitationRow; userId: string; who: AuditActor },
): Promise<void> {
  const { id, org_id, role } = invitation;
  const at = deps.clock.now();
  await removeInvitation(trx, id);
  await addMember(trx, { org_id, user_id: userId, role, created_at: at });
  const detail = { user: userId, role };
  await auditAct(trx, who, { at, action: "invitation.accept", target: id, detail });
  after.follow(() => deps.credentials.forgetUser(userId));
}

/** The user of an address: a new one, or the one that there is, who is nobody else's any more. */
async function userOf(
  deps: JoinDeps,
  trx: Trx,
  after: Pick<After, "follow">,
  given: Omit<Newcomer, "ip"> & { who: AuditActor },
): Promise<string> {
  const { confirmedBy, who } = given;
  const email = plainAddress(given.email);
  const known = await findUserByEmail(trx, email);
  if (known) {
    if (confirmedBy) await confirmHolder(deps, trx, after, { userId: known.id, who, kept: confirmedBy });
    else await takeAccount(deps, trx, after, { userId: known.id, who });
    return known.id;
  }
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const name = (given.name ?? email.split("@", 1)[0]!).replace(/\p{Cc}+/gu, " ").slice(0, MAX_NAME_LENGTH);
  const email_confirmed_at = confirmedBy ? now : null;
  const user = { id, email, name, password_hash: null, email_confirmed_at, created_at: now };
  return (await addUser(trx, user)) ? id : (await findUserByEmail(trx, email))!.id;
}
