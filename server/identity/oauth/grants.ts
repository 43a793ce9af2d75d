import {
  approveClient,
  findOAuthClientById,
  forgetConsents,
  withdrawApproval,
} from "../../../store/records/oauth-clients.ts";
import { findGrant, listGrants, revokeGrant } from "../../../store/records/oauth-grants.ts";
import type { Deps } from "../../deps.ts";
import { readTimeCursor, writeTimeCursor } from "../../http/cursors.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { mayApprove } from "./authorize.ts";
import { type GrantList, toGrantView } from "./model.ts";

type GrantDeps = CommitDeps & Pick<Deps, "store" | "clock" | "credentials" | "config">;

/** Owners and admins see and end what anybody in the org has granted, members what they have granted themselves. */
const isManager = ({ role }: Pick<Actor, "role">) => role === "owner" || role === "admin";

/** Agents that are let into the org, newest first. @throws AppError `invalid_request` for a cursor of another list */
export async function showGrants(
  deps: GrantDeps,
  actor: Actor,
  page: { limit?: number; cursor?: string },
): Promise<GrantList> {
  const limit = page.limit ?? 50;
  const before = page.cursor === undefined ? undefined : readTimeCursor(page.cursor);
  await deps.credentials.tryFlushUses();
  const rows = await listGrants(deps.store.records, {
    orgId: actor.orgId,
    now: deps.clock.now(),
    limit: limit + 1,
    ...(isManager(actor) || actor.userId === null ? {} : { userId: actor.userId }),
    ...(before ? { before } : {}),
  });
  const shown = rows.slice(0, limit);
  return {
    items: shown.map((row) => toGrantView(row, actor.userId)),
    next_cursor: rows.length > limit ? writeTimeCursor(shown.at(-1)!) : null,
    can_approve: isManager(actor) && mayApprove(deps),
  };
}

/**
 * Ends a grant with its tokens, at once; the person will be asked again.
 * @throws AppError `not_found`, `wrong_org`, or `forbidden` for what another member has granted
 */
export async function endGrant(deps: GrantDeps, actor: Actor, id: string): Promise<void> {
  const at = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const grant = await findGrant(trx, id);
    if (!grant) throw notFound("This grant");
    if (grant.org_id !== actor.orgId) throw new AppError("wrong_org", "This grant is one of another org.");
    if (grant.user_id !== actor.userId && !isManager(actor))
      throw new AppError("forbidden", "Only owners and admins end what others have granted.");
    if (!(await revokeGrant(trx, id, at))) throw notFound("This grant");
    const { org_id: orgId, user_id: userId, client_id: clientId } = grant;
    await forgetConsents(trx, { orgId, userId, clientId });
    const detail = { client: clientId, user_id: userId };
    await auditAct(trx, actor, { at, action: "oauth_grant.revoke", target: id, detail });
    after.follow(() => deps.credentials.forgetGrant(id));
  });
}

/**
 * Approves a program, so that nobody in the org is asked for consent to it, or withdraws that.
 * @throws AppError `not_found`, or `forbidden` on a plan without it
 */
export async function setApproval(
  deps: GrantDeps,
  actor: Actor,
  id: string,
  isApproved: boolean,
): Promise<void> {
  if (isApproved && !mayApprove(deps))
    throw new AppError("forbidden", "Approving agents for everybody needs the plan enterprise.");
  const at = deps.clock.now();
  await commit(deps, async (trx) => {
    const client = await findOAuthClientById(trx, id);
    if (!client) throw notFound("This agent");
    const approval = { org_id: actor.orgId, client_id: id, approved_by: actor.userId!, created_at: at };
    const isChanged = isApproved
      ? await approveClient(trx, approval)
      : await withdrawApproval(trx, actor.orgId, id);
    if (!isChanged) return;
    const action = isApproved ? "oauth_client.approve" : "oauth_client.withdraw";
    await auditAct(trx, actor, { at, action, target: id, detail: { client: client.name } });
  });
}
