import { findOrg, insertMembership, insertOrg } from "../../../store/records/identity.ts";
import { countOwned, findMember, orgsOfUser, removeMember, setRole } from "../../../store/records/members.ts";
import {
  isOrgThere,
  openStatusPage,
  renameOrg,
  shutOrg,
  switchSession,
} from "../../../store/records/orgs.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { cutAccess, dropInvitations } from "../access.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { requireRole } from "../auth.ts";
import { requireChanged } from "../last-owner.ts";
import { isFirstOrg } from "../orgs.ts";
import { RESERVED } from "../scopes.ts";
import { isSsoEnforced } from "../signin/home.ts";
import { ERASE_ORG } from "./kinds.ts";
import { MAX_OWNED, type NewOrg, type OrgChange, type OrgList, type OrgView } from "./model.ts";

type OrgDeps = CommitDeps &
  Pick<Deps, "store" | "clock" | "ids" | "config" | "credentials" | "identityState">;
/** Somebody who is signed in. */
export type Person = Actor & { type: "session" };

/** The orgs that a person belongs to, in the order of joining. */
export async function listMine(deps: OrgDeps, actor: Person): Promise<OrgList> {
  const orgs = await orgsOfUser(deps.store.records, actor.userId);
  return {
    items: orgs.map(({ created_at, ...org }) => ({
      ...org,
      is_current: org.id === actor.orgId,
      created_at: toIso(created_at),
    })),
  };
}

/**
 * Makes an org whose owner the person is.
 * @throws AppError `conflict` when the slug is taken, or when the person owns `MAX_OWNED` already
 */
export async function makeOrg(deps: OrgDeps, actor: Person, { slug, name }: NewOrg): Promise<OrgView> {
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const org = { id, slug, name: name?.trim() ?? slug, created_at: now };
  await commit(deps, async (trx, after) => {
    if ((await countOwned(trx, actor.userId)) >= MAX_OWNED)
      throw conflict(`You own ${MAX_OWNED} orgs, which is the most: delete or transfer one first.`);
    if (!(await insertOrg(trx, org))) throw conflict(`There is an org "${slug}" already.`);
    await insertMembership(trx, { org_id: id, user_id: actor.userId, role: "owner", created_at: now });
    await auditAct(
      trx,
      { ...actor, orgId: id },
      { at: now, action: "org.create", target: id, detail: { slug } },
    );
    after.follow(() => deps.credentials.forgetUser(actor.userId));
  });
  return viewOf(deps, org, "owner");
}

/** What the actor's org is. @throws AppError `not_found`, `wrong_org` */
export async function showOrg(deps: OrgDeps, actor: Actor, id: string): Promise<OrgView> {
  return viewOf(deps, await requireOwn(deps, actor, id), actor.role);
}

/** Changes what an org is called, and whether its status is public. @throws AppError `not_found`, `wrong_org` */
export async function changeOrg(
  deps: OrgDeps,
  actor: Actor,
  id: string,
  wanted: OrgChange,
): Promise<OrgView> {
  const org = await requireOwn(deps, actor, id);
  const at = deps.clock.now();
  const { name = org.name, status_page } = wanted;
  await commit(deps, async (trx) => {
    if (wanted.name !== undefined) {
      const detail = { from: org.name, to: name.trim() };
      await renameOrg(trx, id, detail.to);
      await auditAct(trx, actor, { at, action: "org.rename", target: id, detail });
    }
    if (status_page === undefined) return;
    await openStatusPage(trx, id, status_page);
    await auditAct(trx, actor, {
      at,
      action: "org.status_page",
      target: id,
      detail: { is_public: status_page },
    });
  });
  return showOrg(deps, actor, id);
}

/**
 * Makes another member the owner, and the old one an admin.
 * @throws AppError `not_found` when that is nobody of the org, `conflict` for oneself, `forbidden` for who is no owner any more
 */
export async function transferOrg(deps: OrgDeps, actor: Person, id: string, userId: string): Promise<void> {
  await requireOwn(deps, actor, id);
  if (userId === actor.userId) throw conflict("You own this org already.");
  const at = deps.clock.now();
  await commit(deps, async (trx, after) => {
    requireChanged(await setRole(trx, { orgId: id, userId, role: "owner" }));
    // Of two transfers at once the second is no owner's any more.
    const now = await findMember(trx, { orgId: id, userId: actor.userId });
    requireRole({ role: now?.role ?? null }, RESERVED.transferOrg);
    requireChanged(await setRole(trx, { orgId: id, userId: actor.userId, role: "admin" }));
    await dropInvitations(trx, { orgId: id, userId: actor.userId, role: "admin" });
    await auditAct(trx, actor, { at, action: "org.transfer", target: id, detail: { to: userId } });
    for (const one of [userId, actor.userId]) after.follow(() => deps.credentials.forgetUser(one));
  });
}

/**
 * Deletes an org: from now on nobody gets in, and a job removes all that it has. Its audit entries stay.
 * @param slug what the person has typed to say that this one is meant
 * @throws AppError `invalid_request` for another slug, `conflict` for the first org
 */
export async function deleteOrg(deps: OrgDeps, actor: Person, id: string, slug: string): Promise<void> {
  const org = await requireOwn(deps, actor, id);
  if (await isFirstOrg(deps, id)) throw conflict("The first org of a data folder cannot be deleted.");
  if (slug !== org.slug) throw invalid('The query parameter "slug" must be the slug of the org to delete.');
  const at = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const shut = await shutOrg(trx, id, at);
    if (!shut) throw notFound("This org");
    const detail = { slug, name: org.name, members: shut.userIds.length };
    await auditAct(trx, actor, { at, action: "org.delete", target: id, detail });
    await after.add({ kind: ERASE_ORG, payload: { org_id: id }, dedupeKey: id });
    after.follow(() => {
      deps.credentials.forgetOrg(id);
      shut.userIds.forEach(deps.credentials.forgetUser);
    });
  });
}

/** Takes the person out of an org. @throws AppError `conflict` for its last owner */
export async function leaveOrg(deps: OrgDeps, actor: Person, id: string): Promise<void> {
  await requireOwn(deps, actor, id);
  const place = { orgId: id, userId: actor.userId };
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    requireChanged(await removeMember(trx, place));
    await cutAccess(deps, trx, after, { ...place, now });
    await auditAct(trx, actor, { at: now, action: "member.leave", target: actor.userId });
  });
}

/** Has the session stand for another org of its person. @throws AppError `wrong_org` */
export async function switchOrg(deps: OrgDeps, actor: Person, orgId: string): Promise<void> {
  const at = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const hash = await switchSession(trx, { id: actor.id, userId: actor.userId, orgId });
    if (hash === null) throw new AppError("wrong_org", "You do not belong to that org.");
    await auditAct(trx, { ...actor, orgId }, { at, action: "session.switch", target: actor.id });
    after.follow(() => deps.credentials.forgetSession(hash));
  });
}

/** An org is asked for by its id in the path, and the request stands for one: they are the same. */
async function requireOwn(deps: OrgDeps, actor: Actor, id: string) {
  const org = id === actor.orgId ? await findOrg(deps.store.records, id) : undefined;
  if (org) return org;
  if (!(await isOrgThere(deps.store.records, id))) throw notFound("This org");
  throw new AppError("wrong_org", "The request stands for another org: name this one in x-org-id.");
}

async function viewOf(
  deps: OrgDeps,
  org: { id: string; slug: string; name: string; created_at: number; status_page?: number | null },
  role: OrgView["role"],
): Promise<OrgView> {
  const { settings, limits } = deps.config;
  const is_first = await isFirstOrg(deps, org.id);
  return {
    id: org.id,
    slug: org.slug,
    name: org.name,
    role,
    is_first,
    status_page: org.status_page == null ? is_first : org.status_page === 1,
    plan: settings.plan,
    settings: {
      sso_enforced: is_first && isSsoEnforced(deps),
      auto_pin_failed: settings.auto_pin_failed,
      hot_retention_days: limits.hotDays,
      warm_retention_days: limits.warmDays,
    },
    created_at: toIso(org.created_at),
  };
}
