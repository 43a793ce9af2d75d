import type { Trx } from "../../store/records/db.ts";
import { deleteSessionsOf, revokePersonalTokens } from "../../store/records/identity.ts";
import { forgetConsents } from "../../store/records/oauth-clients.ts";
import { revokeGrantsOf } from "../../store/records/oauth-grants.ts";
import type { After } from "../jobs/commit.ts";
import type { Credentials } from "./credentials/credentials.ts";

/**
 * Ends every session, personal token and agent's grant by which a user gets into an org, in the transaction that takes the user
 * out of it. They count as ended at once. Keys and service tokens that the user has made are the org's and go on. `now` is
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
  after.follow(() => deps.credentials.forgetUser(userId));
}
