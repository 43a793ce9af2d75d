import type { Trx } from "../../../store/records/db.ts";
import { findUser } from "../../../store/records/identity.ts";
import {
  countMailLinks,
  findMailLink,
  insertMailLink,
  useMailLink,
} from "../../../store/records/mail-links.ts";
import { findMail, wipeMail } from "../../../store/records/mails.ts";
import type { Role } from "../../../store/records/schema.ts";
import { findUserByEmail } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError, unauthorized } from "../../http/errors.ts";
import { type After, commit } from "../../jobs/commit.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { confirmHolder, type Kept } from "../account-holder.ts";
import { hashSecret } from "../key-secrets.ts";
import { isMailAddress, plainAddress } from "../mail/address.ts";
import { queueMail } from "../mail/queue.ts";
import { safeNext } from "../next-path.ts";
import { firstOrgId } from "../orgs.ts";
import { publicBase } from "../public-base.ts";
import { deviceOf, openSession, SECRET_LENGTH } from "../sessions/open.ts";
import { homeOf, isOfVerifiedDomain, isOnlyBySso, isSsoEnforced, refuseBesideSso } from "./home.ts";
import { invitationOf, joinByDomain, joinByInvitation } from "./join.ts";
import { SEND_LINK } from "./kinds.ts";

export const LINK_MS = 10 * 60_000;
/** Links to one address within the time that a link works. */
const MAX_LINKS = 3;

/**
 * Asks for a link by mail. What is done here is the same for every address: whether there is an account is looked up later.
 * @throws AppError `rate_limited`
 */
export async function requestLink(
  deps: Deps,
  given: { email: string; next?: string | undefined },
  request: Request,
): Promise<void> {
  deps.anonymousLimits.take("sign_in", request);
  const email = plainAddress(given.email);
  if (!isMailAddress(email)) return;
  const payload = { email, next: safeNext(given.next) };
  await commit(deps, (_, after) => after.add({ kind: SEND_LINK, payload, dedupeKey: email }));
}

export function linkHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: SEND_LINK,
      handle: ({ email, next }) => sendLink(deps, { email: String(email), next: String(next) }),
    },
  ];
}

async function sendLink(deps: Deps, { email, next }: { email: string; next: string }): Promise<void> {
  const now = deps.clock.now();
  const code = deps.ids.secret(SECRET_LENGTH);
  const url = `${publicBase(deps)}/signin/link?${new URLSearchParams({ code })}`;
  await commit(deps, async (trx, after) => {
    const to = await addressee(deps, trx, email);
    if (!to) return;
    const open = await countMailLinks(trx, { purpose: "signin", email, since: now - LINK_MS });
    if (open >= MAX_LINKS) return;
    const mail_id = await queueMail(deps, trx, after, {
      orgId: to.orgId,
      kind: "signin",
      to: email,
      subject: "Your sign-in link for Tracedeck",
      text: [
        "Open this link and press the button to sign in to Tracedeck:",
        url,
        "It works once, for 10 minutes. If you did not ask for it, ignore this mail: nobody can sign in without it.",
      ].join("\n\n"),
      secret: { until: now + LINK_MS, userId: to.userId, role: to.role },
      terminal: `Sign-in link for ${email}, once within 10 minutes: ${url}`,
    });
    await insertMailLink(trx, {
      ...{ hash: hashSecret(code), purpose: "signin", email, org_id: to.orgId, user_id: to.userId },
      ...{ mail_id, next, created_at: now, expires_at: now + LINK_MS },
    });
  });
}

/** Who gets a link: a member of some org, or who has not been here and is invited or of a verified domain. Null for nobody. */
async function addressee(
  deps: Deps,
  trx: Trx,
  email: string,
): Promise<{ userId: string | null; orgId: string; role: Role | null } | null> {
  const user = await findUserByEmail(trx, email);
  const home = user ? await homeOf(trx, user) : null;
  if (user && home !== null)
    return (await isOnlyBySso(deps, trx, user.id)) ? null : { userId: user.id, orgId: home, role: null };
  const invitation = await invitationOf(deps, trx, email, "magic_link");
  if (invitation) return { userId: null, orgId: invitation.org_id, role: invitation.role };
  if (user) return null;
  const mayJoin = deps.identityState.sso !== null && !isSsoEnforced(deps) && isOfVerifiedDomain(deps, email);
  const orgId = mayJoin ? await firstOrgId(trx) : null;
  return orgId === null ? null : { userId: null, orgId, role: "member" };
}

/** Whose link it is that a code stands for, without using it; null when it does not work. */
export async function lookAtLink(deps: Pick<Deps, "store" | "clock">, code: string): Promise<string | null> {
  const link = await findMailLink(deps.store.records, hashSecret(code), deps.clock.now());
  return link?.purpose === "signin" ? link.email : null;
}

/**
 * Trades a link's code for a session.
 * @returns the token for the cookie, and where the person wanted to go
 * @throws AppError `unauthorized`, `rate_limited`, or `forbidden` where single sign-on is enforced
 */
export async function signInByLink(
  deps: Deps,
  code: string,
  request: Request,
): Promise<{ token: string; next: string }> {
  deps.anonymousLimits.check("sign_in", request);
  const device = deviceOf(deps, request);
  try {
    const opened = await commit(deps, async (trx, after) => {
      const hash = hashSecret(code);
      const link = await useMailLink(trx, { hash, purpose: "signin", now: deps.clock.now() });
      if (!link) throw unauthorized("This link was used before or has expired. Ask for a new one.");
      // One that was not sent can be read in the outbox of an org, so that whoever follows it need not hold the address.
      const wasSent = (await findMail(trx, link.mail_id))?.state === "sent";
      await wipeMail(trx, link.mail_id);
      const confirmedBy = wasSent ? {} : null;
      const userId = await holderOf(deps, trx, after, link, { ip: device.ip, confirmedBy });
      const user = userId === null ? undefined : await findUser(trx, userId);
      const orgId = user && (await homeOf(trx, user));
      if (!user || !orgId) throw unauthorized("This link leads to no account any more.");
      await refuseBesideSso(deps, trx, user.id);
      const who = { orgId, type: "system" as const, id: "tracedeck", ip: device.ip };
      if (confirmedBy) await confirmHolder(deps, trx, after, { userId: user.id, who, kept: confirmedBy });
      const session = { userId: user.id, orgId, method: "magic_link" as const, device };
      return { token: await openSession(deps, trx, after, session), next: link.next ?? "/" };
    });
    deps.anonymousLimits.count("sign_in", request);
    return opened;
  } catch (error) {
    if (error instanceof AppError && error.kind === "unauthorized")
      deps.anonymousLimits.take("failed_sign_in", request);
    throw error;
  }
}

/** The user whose link it is. Who is invited or of a verified domain becomes one here, unless somebody has the address by now. */
async function holderOf(
  deps: Deps,
  trx: Trx,
  after: Pick<After, "follow">,
  link: { email: string; user_id: string | null; org_id: string },
  how: { ip: string | null; confirmedBy: Kept | null },
): Promise<string | null> {
  if (link.user_id !== null) {
    // Whoever gets mail at an address that the user had before is not the user.
    const user = await findUser(trx, link.user_id);
    return user && plainAddress(user.email) === plainAddress(link.email) ? user.id : null;
  }
  const known = await findUserByEmail(trx, link.email);
  if (known && (await homeOf(trx, known)) !== null) return known.id;
  const invitation = await invitationOf(deps, trx, link.email, "magic_link");
  if (invitation) return joinByInvitation(deps, trx, after, { invitation, name: null, ...how });
  if (known) return known.id;
  if (isSsoEnforced(deps) || !isOfVerifiedDomain(deps, link.email)) return null;
  return joinByDomain(deps, trx, after, { email: link.email, name: null, orgId: link.org_id, ...how });
}
