import { findOrg, findUser } from "../../../store/records/identity.ts";
import {
  findInvitation,
  type InvitationRow,
  listInvitations,
  putInvitation,
  removeInvitation,
} from "../../../store/records/invitations.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { requireRole } from "../auth.ts";
import { hashSecret } from "../key-secrets.ts";
import { isMailAddress, plainAddress } from "../mail/address.ts";
import { queueMail } from "../mail/queue.ts";
import { RESERVED } from "../scopes.ts";
import { invitationMail } from "./mail.ts";
import {
  type CreatedInvitation,
  INVITATION_MS,
  type InvitationList,
  type InvitationView,
  MAX_INVITATIONS,
  type NewInvitation,
  TOKEN_LENGTH,
} from "./model.ts";

type InvitationDeps = CommitDeps &
  Pick<Deps, "store" | "clock" | "ids" | "vault" | "config" | "tellOperator">;

/**
 * Invites an address, whether somebody of it is known here or not: the answer is the same. The link of an earlier
 * invitation of that address works no longer.
 * @param base the server's address, with which the link begins
 * @throws AppError `invalid_request` for what is no address, `forbidden` where it takes an owner, `conflict` for too many
 */
export async function invite(
  deps: InvitationDeps,
  actor: Actor,
  wanted: NewInvitation,
  base: string,
): Promise<CreatedInvitation> {
  const email = plainAddress(wanted.email);
  if (!isMailAddress(email)) throw invalid('The body\'s field "email" must be one mail address.');
  if (wanted.role === "owner") requireRole(actor, RESERVED.changeOwners);
  const now = deps.clock.now();
  const token = deps.ids.secret(TOKEN_LENGTH);
  // What stands after # reaches no server, and so no log.
  const url = `${base}/invitation#${token}`;
  const row: InvitationRow = {
    id: deps.ids.uuid(),
    org_id: actor.orgId,
    email,
    role: wanted.role,
    hash: hashSecret(token),
    invited_by: actor.userId,
    created_at: now,
    expires_at: now + INVITATION_MS,
  };
  const inviter = await commit(deps, async (trx, after) => {
    if (!(await putInvitation(trx, row, MAX_INVITATIONS)))
      throw conflict(`An org has at most ${MAX_INVITATIONS} open invitations: revoke one first.`);
    const org = await findOrg(trx, actor.orgId);
    const by = (actor.userId !== null && (await findUser(trx, actor.userId))?.name) || null;
    await queueMail(deps, trx, after, {
      ...invitationMail({ role: row.role, url, org: org?.name ?? "", by }),
      orgId: actor.orgId,
      kind: "invitation",
      to: email,
      secret: { until: row.expires_at, userId: null, role: row.role },
      terminal: `Invitation for ${email}: ${url}`,
    });
    const detail = { email, role: row.role };
    await auditAct(trx, actor, { at: now, action: "invitation.create", target: row.id, detail });
    return by;
  });
  const is_mailed = deps.config.settings.notifications.smtp !== null;
  return { ...toView({ ...row, invited_by: inviter }), url, is_mailed };
}

/** The org's invitations that can still be accepted, newest first. */
export async function listOpen(deps: InvitationDeps, { orgId }: Actor): Promise<InvitationList> {
  const page = { orgId, now: deps.clock.now(), limit: MAX_INVITATIONS };
  return { items: (await listInvitations(deps.store.records, page)).map(toView) };
}

/** Ends an invitation's link. @throws AppError `not_found`, `wrong_org` */
export async function revoke(deps: InvitationDeps, actor: Actor, id: string): Promise<void> {
  const at = deps.clock.now();
  await commit(deps, async (trx) => {
    const known = await findInvitation(trx, id);
    if (!known) throw notFound("This invitation");
    if (known.org_id !== actor.orgId)
      throw new AppError("wrong_org", "This invitation belongs to another org.");
    await removeInvitation(trx, id);
    const detail = { email: known.email };
    await auditAct(trx, actor, { at, action: "invitation.revoke", target: id, detail });
  });
}

function toView(row: Omit<InvitationRow, "org_id" | "hash">): InvitationView {
  const { id, email, role, invited_by, created_at, expires_at } = row;
  return { id, email, role, invited_by, created_at: toIso(created_at), expires_at: toIso(expires_at) };
}
