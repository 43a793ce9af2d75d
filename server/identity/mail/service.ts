import { listMemberships } from "../../../store/records/identity.ts";
import { findMail, listMails, type MailRow } from "../../../store/records/mails.ts";
import type { Role } from "../../../store/records/schema.ts";
import type { Deps } from "../../deps.ts";
import { readTimeCursor, writeTimeCursor } from "../../http/cursors.ts";
import { notFound } from "../../http/errors.ts";
import type { Actor } from "../actor.ts";
import { type MailList, type OpenedMail, toMailView } from "./model.ts";
import { type MailBody, placeOf } from "./queue.ts";

type MailDeps = Pick<Deps, "store" | "vault" | "config" | "clock">;

const USUAL_LIMIT = 50;
const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, billing: 0 };

/**
 * The org's mail, newest first, without its text.
 * @throws AppError `invalid_request` for a cursor that the list did not give out
 */
export async function listOutbox(
  deps: MailDeps,
  { orgId }: Pick<Actor, "orgId">,
  page: { limit?: number; cursor?: string },
): Promise<MailList> {
  const before = page.cursor === undefined ? undefined : readTimeCursor(page.cursor);
  const limit = page.limit ?? USUAL_LIMIT;
  const rows = await listMails(deps.store.records, {
    orgId,
    limit: limit + 1,
    ...(before ? { before } : {}),
  });
  const shown = rows.slice(0, limit);
  return {
    items: shown.map(toMailView),
    next_cursor: rows.length > limit ? writeTimeCursor(shown.at(-1)!) : null,
    is_sent: deps.config.settings.notifications.smtp !== null,
  };
}

/** @throws AppError `not_found`; another org's mail counts as none */
export async function openMail(deps: MailDeps, actor: Actor, id: string): Promise<OpenedMail> {
  const mail = await findMail(deps.store.records, id);
  if (mail?.org_id !== actor.orgId) throw notFound("This mail");
  const view = toMailView(mail);
  const isOver = mail.secret_until !== null && mail.secret_until <= deps.clock.now();
  const opened = mail.sealed && !isOver ? deps.vault.open(placeOf(mail), mail.sealed) : null;
  if (opened === null) return { ...view, text: null, hidden: "wiped" };
  // Whoever follows it then has got it by mail, and so holds the address.
  if (mail.secret_until !== null && mail.state === "queued")
    return { ...view, text: null, hidden: "on_its_way" };
  if (!(await mayRead(deps, actor, mail))) return { ...view, text: null, hidden: "not_yours" };
  return { ...view, text: (JSON.parse(opened) as MailBody).text, hidden: null };
}

/**
 * Whoever reads a link can follow it: so only who may do at least as much as the role that it gives, and as the user whose account it
 * opens, in each of their orgs.
 */
async function mayRead(deps: MailDeps, actor: Actor, mail: MailRow): Promise<boolean> {
  if (mail.role !== null && (actor.role === null || RANK[actor.role] < RANK[mail.role])) return false;
  if (mail.user_id === null || mail.user_id === actor.userId) return true;
  if (actor.userId === null) return false;
  const [theirs, own] = await Promise.all(
    [mail.user_id, actor.userId].map((id) => listMemberships(deps.store.records, id)),
  );
  const rankOf = new Map(own!.map(({ org_id, role }) => [org_id, RANK[role]]));
  return theirs!.every(({ org_id, role }) => (rankOf.get(org_id) ?? -1) >= RANK[role]);
}
