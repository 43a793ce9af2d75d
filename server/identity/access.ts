import type { Trx } from "../../store/records/db.ts";
import { deleteSessionsOf, revokePersonalTokens } from "../../store/records/identity.ts";
import { removeInvitationsBy } from "../../store/records/invitations.ts";
import { forgetConsents } from "../../store/records/oauth-clients.ts";
import { revokeGrantsOf } from "../../store/records/oauth-grants.ts";
import type { Role } from "../../store/records/schema.ts";
import type { After } from "../jobs/commit.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { RESERVED, scopesOfRole } from "./scopes.ts";

/**
 * Takes away the invitations that a person has made and could not make in their role now: a link of one's own must not give back
 * what was taken. With null they are no member any more.
 */
export async function dropInvitations(
  trx: Trx,
  { userId, orgId, role }: { userId: string; orgId: string; role: Role | null },
): Promise<void> {
  const mayInvite = role !== null && scopesOfRole(role).has("members:manage");
  const mayInviteOwners = role !== null && RESERVED.changeOwners.some((one) => one === role);
  if (mayInviteOwners) return;
  await removeInvitationsBy(trx, { orgId, userId, roles: mayInvite ? ["owner"] : "all" });
}

/**
 * Ends every session, personal token and agent's grant by which a user gets into an org, in the transaction that takes the user
 * out of it, and the invitations that they have made. They count as ended at once. Keys and service tokens that the user has made are the org's and go on. `now` is
 * epoch ms.
 */
export async function cutAccess(
  deps: { credentials: Pick<Credentials, "forgetUser"> },
  trx: Trx,
  after: Pick<After, "follow">,
  { userId, orgId, now }: { userId: string; orgId: string; now: number },
): Promise<void> {
  await deleteSessionsOf(trx, { userId, orgId });
  await revokePersonalTokens(trx, { userId, orgId, now });
  await revokeGrantsOf(trx, { userId, orgId, now });
  await forgetConsents(trx, { userId, orgId });
  await dropInvitations(trx, { userId, orgId, role: null });
  after.follow(() => deps.credentials.forgetUser(userId));
}
