import { findOrg, findUser } from "../../../store/records/identity.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../http/errors.ts";
import type { Actor } from "../actor.ts";

/** The actor with names: user (null for machines), org and scopes. */
export async function showMe(deps: Pick<Deps, "store">, actor: Actor) {
  const { records } = deps.store;
  const org = await findOrg(records, actor.orgId);
  if (!org) throw notFound("This org");
  const user = actor.userId === null ? undefined : await findUser(records, actor.userId);
  return {
    user: user ? { id: user.id, name: user.name, email: user.email } : null,
    org: { id: org.id, slug: org.slug, name: org.name, role: actor.role },
    scopes: [...actor.scopes].sort(),
  };
}
