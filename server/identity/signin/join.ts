import type { Trx } from "../../../store/records/db.ts";
import { addUser } from "../../../store/records/identity.ts";
import { type InvitationRow, invitationFor, removeInvitation } from "../../../store/records/invitations.ts";
import { addMember } from "../../../store/records/members.ts";
import { findUserByEmail } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
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
}

/** Makes a person of a verified domain, who has not been here, a member of an org. @returns the user's id */
export async function joinByDomain(
  deps: Pick<Deps, "clock" | "ids">,
  trx: Trx,
  person: Newcomer & { orgId: string },
): Promise<string> {
  const { orgId, ip } = person;
  const created_at = deps.clock.now();
  const id = await userOf(deps, trx, person);
  if (!(await addMember(trx, { org_id: orgId, user_id: id, role: "member", created_at }))) return id;
  await auditAct(
    trx,
    { orgId, type: "system", id: "tracedeck", ip },
    { at: created_at, action: "member.join", target: id, detail: { by: "verified_domain", role: "member" } },
  );
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
  { invitation, name, ip }: { invitation: InvitationRow; name: string | null; ip: string | null },
): Promise<string> {
  const userId = await userOf(deps, trx, { email: invitation.email, name });
  const who = { orgId: invitation.org_id, type: "system" as const, id: "tracedeck", ip };
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

/** The user of an address: a new one, or whom another sign-in made at the same moment. */
async function userOf(
  deps: Pick<Deps, "clock" | "ids">,
  trx: Trx,
  given: Pick<Newcomer, "email" | "name">,
): Promise<string> {
  const email = plainAddress(given.email);
  const known = await findUserByEmail(trx, email);
  if (known) return known.id;
  const id = deps.ids.uuid();
  const name = (given.name ?? email.split("@", 1)[0]!).replace(/\p{Cc}+/gu, " ").slice(0, MAX_NAME_LENGTH);
  const user = { id, email, name, password_hash: null, created_at: deps.clock.now() };
  return (await addUser(trx, user)) ? id : (await findUserByEmail(trx, email))!.id;
}
