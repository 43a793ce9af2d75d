import type { Db } from "../../../store/records/db.ts";
import { listMemberships } from "../../../store/records/identity.ts";
import type { UserRow } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { domainOf } from "../mail/address.ts";
import { firstOrgId } from "../orgs.ts";

type HomeDeps = Pick<Deps, "config" | "identityState">;

/** The org that signing in leads a user to: their default one, else the first that they joined. Null for nobody's member. */
export async function homeOf(db: Db, user: Pick<UserRow, "id" | "default_org_id">): Promise<string | null> {
  const orgs = (await listMemberships(db, user.id)).map(({ org_id }) => org_id);
  return orgs.find((id) => id === user.default_org_id) ?? orgs[0] ?? null;
}

/** Whether members of the first org have no other way in than the identity provider. */
export function isSsoEnforced({ config, identityState }: Pick<Deps, "config" | "identityState">): boolean {
  return identityState.sso !== null && (config.settings.sso.enforced ?? true);
}

/** Whether a user has no other way in than the identity provider: a member of the first org where that is enforced. */
export async function isOnlyBySso(deps: HomeDeps, db: Db, userId: string): Promise<boolean> {
  if (!isSsoEnforced(deps)) return false;
  const orgId = await firstOrgId(db);
  return (await listMemberships(db, userId)).some(({ org_id }) => org_id === orgId);
}

/**
 * A session reaches all orgs of its user, so whoever is a member of the org with enforced single sign-on signs in by it.
 * @throws AppError `forbidden`
 */
export async function refuseBesideSso(deps: HomeDeps, db: Db, userId: string): Promise<void> {
  if (!(await isOnlyBySso(deps, db, userId))) return;
  throw new AppError(
    "forbidden",
    `Members of your organisation sign in with ${deps.identityState.sso!.name}, and in no other way.`,
  );
}

/** Whether people of an address's domain belong to the first org. */
export function isOfVerifiedDomain({ config }: Pick<Deps, "config">, email: string): boolean {
  return config.settings.sso.verified_domains.some((domain) => domain.toLowerCase() === domainOf(email));
}
