import { externalAccountsOf } from "../../../store/records/external-accounts.ts";
import { findOrg, findUser, listMemberships } from "../../../store/records/identity.ts";
import { type UserRow, updateUser } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { requireSession } from "../sessions/service.ts";
import { isOnlyBySso } from "../signin/home.ts";
import type { Profile, ProfileChange } from "./model.ts";

/** @throws AppError `forbidden` for whoever has no session */
export async function showProfile(deps: Deps, actor: Actor): Promise<Profile> {
  const { userId } = requireSession(actor);
  const { records } = deps.store;
  const [user, memberships, accounts] = await Promise.all([
    theUser(deps, userId),
    listMemberships(records, userId),
    externalAccountsOf(records, userId),
  ]);
  const orgs = await Promise.all(
    memberships.map(async ({ org_id, role }) => {
      const { slug, name } = (await findOrg(records, org_id))!;
      return { id: org_id, slug, name, role };
    }),
  );
  return {
    name: user.name,
    email: user.email,
    has_password: user.password_hash !== null,
    default_org_id: user.default_org_id,
    orgs,
    accounts: accounts.map(({ issuer, created_at }) => ({ issuer, created_at: toIso(created_at) })),
    is_sso_enforced: await isOnlyBySso(deps, records, userId),
  };
}

/** @throws AppError `validation_failed` for an org that the user is not in, `forbidden` for whoever has no session */
export async function changeProfile(deps: Deps, actor: Actor, change: ProfileChange): Promise<Profile> {
  const { userId } = requireSession(actor);
  const { name, default_org_id } = change;
  const clean = name?.replace(/\p{Cc}+/gu, " ").trim();
  if (clean === "") throw new AppError("validation_failed", 'The body\'s field "name" must not be empty.');
  const changes = {
    ...(clean === undefined ? {} : { name: clean }),
    ...(default_org_id === undefined ? {} : { default_org_id }),
  };
  await commit(deps, async (trx) => {
    const orgs = await listMemberships(trx, userId);
    if (default_org_id && !orgs.some(({ org_id }) => org_id === default_org_id))
      throw new AppError(
        "validation_failed",
        'The body\'s field "default_org_id" must name an org of yours.',
      );
    await updateUser(trx, userId, changes);
    await auditAct(trx, actor, {
      ...{ at: deps.clock.now(), action: "user.update", target: userId },
      detail: { fields: Object.keys(changes) },
    });
  });
  return showProfile(deps, actor);
}

/** @throws AppError `not_found` */
export async function theUser(deps: Pick<Deps, "store">, userId: string): Promise<UserRow> {
  const user = await findUser(deps.store.records, userId);
  if (!user) throw notFound("This user");
  return user;
}

/**
 * Makes sure that whoever has the session knows the password, too, if there is one.
 * @throws AppError `forbidden`, `rate_limited`
 */
export async function requirePassword(deps: Deps, user: UserRow, given: string | undefined): Promise<void> {
  if (user.password_hash === null) return;
  const { accountLimits, passwords } = deps.identityState;
  // Taken before the guess is compared: many at once would all pass a mere look.
  accountLimits.take(user.email);
  try {
    const isRight = given !== undefined && (await passwords.isRight(user.password_hash, given));
    if (isRight) return accountLimits.giveBack(user.email);
  } catch (error) {
    accountLimits.giveBack(user.email);
    throw error;
  }
  throw new AppError("forbidden", "The current password is wrong.");
}
