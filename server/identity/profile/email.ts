import { findUser } from "../../../store/records/identity.ts";
import { countMailLinks, insertMailLink, useMailLink } from "../../../store/records/mail-links.ts";
import { findMail, wipeMail } from "../../../store/records/mails.ts";
import { findUserByEmail, updateUser } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { hashSecret } from "../key-secrets.ts";
import { isMailAddress, plainAddress } from "../mail/address.ts";
import { tellFormerAddress } from "../mail/former-address.ts";
import { queueMail } from "../mail/queue.ts";
import { publicBase } from "../public-base.ts";
import { SECRET_LENGTH } from "../sessions/open.ts";
import { requireSession } from "../sessions/service.ts";
import type { EmailChange } from "./model.ts";
import { requirePassword, theUser } from "./service.ts";

const LINK_MS = 60 * 60_000;
const MAX_LINKS = 3;

/**
 * Sends a link to a new address, which becomes the user's when they open it: until then nobody knows that it is theirs.
 * Whether somebody else has the address is not told before.
 * @throws AppError `validation_failed`, `forbidden`, `rate_limited`
 */
export async function requestEmail(deps: Deps, actor: Actor, change: EmailChange): Promise<void> {
  const { userId } = requireSession(actor);
  const user = await theUser(deps, userId);
  await requirePassword(deps, user, change.current_password);
  const email = plainAddress(change.email);
  if (!isMailAddress(email))
    throw new AppError("validation_failed", 'The body\'s field "email" must be one plain address.');
  const now = deps.clock.now();
  const code = deps.ids.secret(SECRET_LENGTH);
  const url = `${publicBase(deps)}/settings/profile?${new URLSearchParams({ confirm: code })}`;
  await commit(deps, async (trx, after) => {
    const open = await countMailLinks(trx, { purpose: "email", email, since: now - LINK_MS });
    if (open >= MAX_LINKS)
      throw new AppError(
        "rate_limited",
        "Several links went to that address within the last hour. Use the last one.",
        {
          headers: { "retry-after": "3600" },
        },
      );
    const mail_id = await queueMail(deps, trx, after, {
      orgId: actor.orgId,
      kind: "email",
      to: email,
      subject: "Confirm your address for Tracedeck",
      text: [
        `Open this link, signed in as ${user.name}, to make this address yours in Tracedeck:`,
        url,
        "It works once, for an hour. If you did not ask for it, ignore this mail.",
      ].join("\n\n"),
      secret: { until: now + LINK_MS, userId, role: null },
      terminal: `Confirm the address ${email}, once within an hour: ${url}`,
    });
    await insertMailLink(trx, {
      ...{ hash: hashSecret(code), purpose: "email", email, org_id: actor.orgId, user_id: userId },
      ...{ mail_id, next: null, created_at: now, expires_at: now + LINK_MS },
    });
    await auditAct(trx, actor, { at: now, action: "user.email_requested", target: userId, detail: {} });
  });
}

/**
 * Makes the address of a link the user's. The link works for the user alone who asked for it.
 * @throws AppError `forbidden`, `conflict` when somebody else has the address
 */
export async function confirmEmail(deps: Deps, actor: Actor, code: string): Promise<{ email: string }> {
  const { userId } = requireSession(actor);
  return commit(deps, async (trx, after) => {
    const now = deps.clock.now();
    const link = await useMailLink(trx, { hash: hashSecret(code), purpose: "email", now });
    if (link?.user_id !== userId)
      throw new AppError("forbidden", "This link was used before, has expired, or is somebody else's.");
    const holder = await findUserByEmail(trx, link.email);
    if (holder && holder.id !== userId) throw conflict("Another account has that address.");
    const before = (await findUser(trx, userId))?.email ?? "";
    // A link that was not sent can be read in the outbox: whoever follows it need not hold the address.
    const wasSent = (await findMail(trx, link.mail_id))?.state === "sent";
    await updateUser(trx, userId, { email: link.email, email_confirmed_at: wasSent ? now : null });
    await wipeMail(trx, link.mail_id);
    await tellFormerAddress(deps, trx, after, { orgId: actor.orgId, address: before });
    await auditAct(trx, actor, { at: now, action: "user.email", target: userId, detail: {} });
    return { email: link.email };
  });
}
