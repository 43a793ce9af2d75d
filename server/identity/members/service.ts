import type { Trx } from "../../../store/records/db.ts";
import { findMember, listMembers, removeMember, setRole } from "../../../store/records/members.ts";
import type { Role } from "../../../store/records/schema.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { cutAccess, dropInvitations } from "../access.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { requireRole } from "../auth.ts";
import { requireChanged } from "../last-owner.ts";
import { RESERVED } from "../scopes.ts";
import { type MemberList, type MemberView, toMemberView } from "./model.ts";

type MemberDeps = CommitDeps & Pick<Deps, "store" | "clock" | "credentials">;

const USUAL_LIMIT = 50;

/** The members of the actor's org. */
export async function listOfOrg(
  deps: MemberDeps,
  actor: Actor,
  page: { limit?: number; cursor?: string },
): Promise<MemberList> {
  const limit = page.limit ?? USUAL_LIMIT;
  const rows = await listMembers(deps.store.records, {
    orgId: actor.orgId,
    limit: limit + 1,
    ...(page.cursor === undefined ? {} : { after: page.cursor.toLowerCase() }),
  });
  const shown = rows.slice(0, limit);
  return {
    items: shown.map((row) => toMemberView(row, actor.userId)),
    next_cursor: rows.length > limit ? shown.at(-1)!.user_id : null,
  };
}

/**
 * Gives a member another role, which counts at once.
 * @throws AppError `not_found`; `forbidden` where it takes an owner; `conflict` for the last owner
 */
export async function changeRole(
  deps: MemberDeps,
  actor: Actor,
  userId: string,
  role: Role,
): Promise<MemberView> {
  const { orgId } = actor;
  const at = deps.clock.now();
  return commit(deps, async (trx, after) => {
    const known = await requireMember(trx, actor, userId);
    if (role === "owner") requireRole(actor, RESERVED.changeOwners);
    requireChanged(await setRole(trx, { orgId, userId, role }));
    await dropInvitations(trx, { orgId, userId, role });
    const detail = { from: known.role, to: role };
    await auditAct(trx, actor, { at, action: "member.role", target: userId, detail });
    after.follow(() => deps.credentials.forgetUser(userId));
    return toMemberView({ ...known, role }, actor.userId);
  });
}

/**
 * Takes a member out of the org; sessions in it and personal tokens end at once.
 * @throws AppError `not_found`; `forbidden` where it takes an owner; `conflict` for the last owner
 */
export async function dismiss(deps: MemberDeps, actor: Actor, userId: string): Promise<void> {
  const { orgId } = actor;
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const { role } = await requireMember(trx, actor, userId);
    requireChanged(await removeMember(trx, { orgId, userId }));
    await cutAccess(deps, trx, after, { userId, orgId, now });
    await auditAct(trx, actor, { at: now, action: "member.remove", target: userId, detail: { role } });
  });
}

/** A member whom the actor may change: only an owner changes an owner. */
async function requireMember(trx: Trx, actor: Actor, userId: string) {
  const known = await findMember(trx, { orgId: actor.orgId, userId });
  if (!known) throw notFound("This member");
  if (known.role === "owner") requireRole(actor, RESERVED.changeOwners);
  return known;
}
