import type { Trx } from "../../../store/records/db.ts";
import { findUser } from "../../../store/records/identity.ts";
import { isTaken } from "../../../store/records/outcome.ts";
import {
  type Granted,
  grantedRoles,
  isSharedAccount,
  joinOrg,
  leaveOrg,
  noteGroupRole,
  roleIn,
  setRole,
  updateAccount,
} from "../../../store/records/scim-accounts.ts";
import type { GroupRole } from "../../../store/records/scim-schema.ts";
import type { ScimUserRow } from "../../../store/records/scim-users.ts";
import { conflict } from "../../http/errors.ts";
import type { After } from "../../jobs/commit.ts";
import { cutAccess, dropInvitations } from "../access.ts";
import { endHolding } from "../account-holder.ts";
import { auditAct } from "../audit.ts";
import { plainAddress } from "../mail/address.ts";
import { tellFormerAddress } from "../mail/former-address.ts";
import type { ScimCall } from "./context.ts";
import { notUnique, refused } from "./errors.ts";
import type { Json } from "./evaluate.ts";

type Within = { trx: Trx; after: Pick<After, "follow"> };

/** The role that counts is the first of those that groups give. */
const ROLES: readonly GroupRole[] = ["admin", "member", "billing"];
const ADDRESS = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u;

/**
 * The address and the name of the account that a directory's user stands for: the primary email, else that of work, else
 * the first, else `userName`.
 * @throws AppError 400 `invalidValue` when there is no address
 */
export function accountOf(attributes: Json): { email: string; name: string } {
  const emails = (attributes.emails ?? []) as { value?: string; type?: string; primary?: boolean }[];
  const email =
    emails.find(({ primary }) => primary)?.value ??
    emails.find(({ type }) => type?.toLowerCase() === "work")?.value ??
    emails[0]?.value ??
    String(attributes.userName);
  if (!ADDRESS.test(email))
    throw refused("invalidValue", "A user needs an email address, in emails or as userName.");
  const name = (attributes.name ?? {}) as { formatted?: string; givenName?: string; familyName?: string };
  const parts = [name.givenName, name.familyName].filter(Boolean).join(" ");
  const shown = name.formatted ?? attributes.displayName ?? (parts || attributes.userName);
  return { email, name: String(shown).slice(0, 200) };
}

/** Makes the account a member: `member`, or what its groups give. A membership that there is keeps its role where no group gives one. */
export async function admit(call: ScimCall, { trx, after }: Within, row: ScimUserRow): Promise<void> {
  const { deps, actor } = call;
  const [granted] = await grantedRoles(trx, actor.orgId, [row.id]);
  const given = granted ? topRole(granted) : null;
  const now = deps.clock.now();
  const membership = {
    org_id: actor.orgId,
    user_id: row.user_id,
    role: given ?? ("member" as const),
    created_at: now,
  };
  const isNew = await joinOrg(trx, membership);
  if (!isNew && given && (await setRole(trx, actor.orgId, row.user_id, given)))
    await dropInvitations(trx, { orgId: actor.orgId, userId: row.user_id, role: given });
  if (given !== row.group_role) await noteGroupRole(trx, row.id, given);
  after.follow(() => deps.credentials.forgetUser(row.user_id));
}

/**
 * Ends the membership with every session and token by which the user gets into the org.
 * @throws AppError `conflict` for the last owner
 */
export async function suspend(
  { deps, actor: { orgId } }: ScimCall,
  { trx, after }: Within,
  userId: string,
): Promise<void> {
  if ((await roleIn(trx, orgId, userId)) === null) return;
  if (!(await leaveOrg(trx, orgId, userId)))
    throw conflict(
      "This is the org's last owner, who cannot be deprovisioned: make somebody else an owner first.",
    );
  await cutAccess(deps, trx, after, { userId, orgId, now: deps.clock.now() });
}

/**
 * Lets the account follow what the directory says. Only one that the directory made and no other org shares: of anybody else's
 * the org has its own view. With another address, whoever has the account until now loses it, and that address' holder gets in; who had
 * confirmed the former one is told there.
 * @throws AppError `conflict` `uniqueness` when another account has the address
 */
export async function followAccount(
  { deps, actor }: ScimCall,
  { trx, after }: { trx: Trx; after: After },
  row: ScimUserRow,
  attributes: Json,
): Promise<void> {
  if (!row.is_account_made || (await isSharedAccount(trx, row.user_id, actor.orgId))) return;
  const account = await findUser(trx, row.user_id);
  if (!account) return;
  const said = accountOf(attributes);
  if (account.email === said.email && account.name === said.name) return;
  try {
    if (plainAddress(account.email) !== plainAddress(said.email)) {
      await endHolding(deps, trx, after, { userId: row.user_id, who: actor, kept: {} });
      if (account.email_confirmed_at !== null)
        await tellFormerAddress(deps, trx, after, { orgId: actor.orgId, address: account.email });
    }
    await updateAccount(trx, row.user_id, said);
  } catch (error) {
    if (isTaken(trx, error)) throw notUnique("Another account has this email address.");
    throw error;
  }
}

/** How many changes one entry of the audit names. */
const CHANGES_PER_ENTRY = 500;

/** Gives these users of the directory, or all, the roles that their groups give now. An owner stays one. */
export async function refreshRoles(
  { deps, actor }: Pick<ScimCall, "deps" | "actor">,
  { trx, after }: Within,
  ids: readonly string[] | "all",
): Promise<void> {
  const changes: { user_id: string; role: GroupRole }[] = [];
  for (const user of await grantedRoles(trx, actor.orgId, ids)) {
    const given = topRole(user);
    if (given === user.group_role) continue;
    await noteGroupRole(trx, user.id, given);
    const role = given ?? "member";
    if (!user.active || !(await setRole(trx, actor.orgId, user.user_id, role))) continue;
    await dropInvitations(trx, { orgId: actor.orgId, userId: user.user_id, role });
    changes.push({ user_id: user.user_id, role });
  }
  for (let at = 0; at < changes.length; at += CHANGES_PER_ENTRY)
    await auditAct(trx, actor, {
      at: deps.clock.now(),
      action: "member.role",
      target: actor.orgId,
      detail: { by: "directory groups", changes: changes.slice(at, at + CHANGES_PER_ENTRY) },
    });
  after.follow(() => {
    for (const { user_id } of changes) deps.credentials.forgetUser(user_id);
  });
}

const topRole = ({ roles }: Pick<Granted, "roles">): GroupRole | null =>
  ROLES.find((role) => roles.includes(role)) ?? null;
