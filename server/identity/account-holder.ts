import type { Trx } from "../../store/records/db.ts";
import { type ExternalAccountRow, removeExternalAccounts } from "../../store/records/external-accounts.ts";
import { findUser } from "../../store/records/identity.ts";
import { dropMailLinks } from "../../store/records/mail-links.ts";
import { orgsOfUser } from "../../store/records/members.ts";
import { endSessions } from "../../store/records/sessions.ts";
import { clearHolder, type UserRow, updateUser } from "../../store/records/users.ts";
import type { Deps } from "../deps.ts";
import type { After } from "../jobs/commit.ts";
import { cutAccess } from "./access.ts";
import { type AuditActor, auditAct } from "./audit.ts";

type HolderDeps = Pick<Deps, "clock" | "credentials">;
type Following = Pick<After, "follow">;

/** What stays of what gets into an account: that by which its holder has come this very moment. */
export interface Kept {
  sessionId?: string;
  external?: Pick<ExternalAccountRow, "issuer" | "subject">;
}

/**
 * Whether it is known who holds an account: somebody has shown to get what is sent to its address, and belongs to an org. Whoever has left
 * the last one may have lost the address with it, and another person may have it by now.
 */
async function isHeld(trx: Trx, { id, email_confirmed_at }: UserRow): Promise<boolean> {
  return email_confirmed_at !== null && (await orgsOfUser(trx, id)).length > 0;
}

/**
 * Notes that whoever signs in holds the account's address: they got what was sent there, or a provider has confirmed it. The
 * first time, everything ends by which somebody else may get in, who has made the account or had it under another address.
 */
export async function confirmHolder(
  deps: HolderDeps,
  trx: Trx,
  after: Following,
  { userId, who, kept }: { userId: string; who: AuditActor; kept: Kept },
): Promise<void> {
  const user = await findUser(trx, userId);
  if (!user || (await isHeld(trx, user))) return;
  await endHolding(deps, trx, after, { userId, who, kept });
  await updateUser(trx, userId, { email_confirmed_at: deps.clock.now() });
}

/**
 * Brings an account into an org that knows no more of it than its address. Where nobody has shown to hold that address, or its holder has
 * left every org, whatever gets into the account ends first: it may be a stranger's, who gave it the address by the directory of their own
 * org, or the former holder's.
 */
export async function takeAccount(
  deps: HolderDeps,
  trx: Trx,
  after: Following,
  { userId, who, kept = {} }: { userId: string; who: AuditActor; kept?: Kept },
): Promise<void> {
  const user = await findUser(trx, userId);
  if (!user || (await isHeld(trx, user))) return;
  const { orgId } = who;
  await endHolding(deps, trx, after, { userId, who, kept });
  if (kept.sessionId === undefined)
    await cutAccess(deps, trx, after, { userId, orgId, now: deps.clock.now() });
  // Signing in must not lead into the org of whom the account was before.
  await updateUser(trx, userId, { default_org_id: orgId });
}

/** Ends every session, the password, accounts at providers and links on their way, and the word that the address is held. */
export async function endHolding(
  deps: HolderDeps,
  trx: Trx,
  after: Following,
  { userId, who, kept }: { userId: string; who: AuditActor; kept: Kept },
): Promise<void> {
  const user = await findUser(trx, userId);
  const sessions = await endSessions(trx, userId, { exceptId: kept.sessionId ?? null });
  const accounts = await removeExternalAccounts(trx, userId, kept.external ?? null);
  await dropMailLinks(trx, userId);
  await clearHolder(trx, userId);
  after.follow(() => deps.credentials.forgetUser(userId));
  const had_password = user?.password_hash != null;
  if (sessions.length === 0 && accounts === 0 && !had_password) return;
  await auditAct(trx, who, {
    ...{ at: deps.clock.now(), action: "user.reset", target: userId },
    detail: { sessions_ended: sessions.length, accounts_removed: accounts, had_password },
  });
}
