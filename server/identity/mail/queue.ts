import type { Trx } from "../../../store/records/db.ts";
import { insertMail } from "../../../store/records/mails.ts";
import type { Role } from "../../../store/records/schema.ts";
import type { MailKind, MailState } from "../../../store/records/sign-in-schema.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import type { SealedPlace } from "../secrets/vault.ts";
import { isMailAddress } from "./address.ts";
import { SEND_MAIL } from "./kinds.ts";

/** Mails of one org that are kept; of more, the oldest go. */
export const MAX_MAILS = 2_000;
/** UTF-8 bytes of a mail's text and HTML together. */
export const MAX_BODY_BYTES = 256 * 1024;
const MAX_SUBJECT_LENGTH = 300;

export interface MailBody {
  text: string;
  html?: string;
  /** Mails with the same one stand together in a mail program. */
  thread?: string;
}

export interface NewMail extends MailBody {
  orgId: string;
  kind: MailKind;
  /** One address. */
  to: string;
  subject: string;
  /** For a body with a link that lets its reader in. It is wiped when it was sent, and then at the latest. */
  secret?: {
    /** Epoch ms. */
    until: number;
    /** Whose account the link opens. */
    userId: string | null;
    /** Which role in the org it gives to whoever follows it; null where the account has its own. */
    role: Role | null;
  };
  /** The job that hears what comes of it: see `MailNews`. */
  follower?: Follower;
  /** What the terminal of a server without SMTP says, so that whoever runs it can pass the link on. */
  terminal?: string;
}

/** A job that is added after each attempt at a mail; its payload has what came of it beside its own. */
export interface Follower {
  kind: string;
  payload: Record<string, string>;
}

/** What came of an attempt, as a follower's payload has it. */
export interface MailNews {
  /** `queued`: it is tried again. `waiting`: there is no mail server, so it is only to be read in the outbox. */
  state: MailState;
  /** Tries so far. */
  attempts: number;
  error: string | null;
}

/** Tells the follower of a mail, in the transaction that notes what came of it. */
export async function tellFollower(
  after: Pick<After, "add">,
  follower: Follower | undefined,
  { state, attempts, error }: MailNews,
): Promise<void> {
  if (!follower) return;
  await after.add({ kind: follower.kind, payload: { ...follower.payload, state, attempts, error } });
}

export type MailDeps = Pick<Deps, "clock" | "ids" | "vault" | "config" | "tellOperator">;

/**
 * Writes a mail down in the transaction of what it tells of. It is sent after the commit; without SMTP it waits in the
 * outbox, for 30 days at most.
 * @returns its id
 * @throws Error for what is no address, and for a body beyond `MAX_BODY_BYTES`
 */
export async function queueMail(
  deps: MailDeps,
  trx: Trx,
  after: Pick<After, "add" | "follow">,
  mail: NewMail,
): Promise<string> {
  if (!isMailAddress(mail.to)) throw new Error("A mail goes to one address.");
  const body = bodyOf(mail);
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const isSent = deps.config.settings.notifications.smtp !== null;
  await insertMail(
    trx,
    {
      id,
      org_id: mail.orgId,
      kind: mail.kind,
      recipient: mail.to,
      subject: mail.subject.replace(/\p{Cc}+/gu, " ").slice(0, MAX_SUBJECT_LENGTH),
      sealed: deps.vault.seal(placeOf({ id, org_id: mail.orgId }), body),
      secret_until: mail.secret?.until ?? null,
      user_id: mail.secret?.userId ?? null,
      role: mail.secret?.role ?? null,
      state: isSent ? "queued" : "waiting",
      created_at: now,
    },
    MAX_MAILS,
  );
  const { terminal, follower } = mail;
  if (isSent) {
    const payload = { mailId: id, ...(follower && { follower }) };
    await after.add({ kind: SEND_MAIL, payload, dedupeKey: `${id} 1` });
    return id;
  }
  await tellFollower(after, follower, { state: "waiting", attempts: 0, error: null });
  if (terminal !== undefined) after.follow(() => deps.tellOperator(terminal));
  return id;
}

/** What a mail's body is sealed for. A secret's name has no space in it. */
export const placeOf = (mail: { id: string; org_id: string }): SealedPlace => ({
  orgId: mail.org_id,
  name: `mail ${mail.id}`,
  origins: null,
});

function bodyOf({ text, html, thread }: MailBody): string {
  const body = JSON.stringify({ text, html, thread } satisfies { [Name in keyof MailBody]: unknown });
  if (Buffer.byteLength(body) > MAX_BODY_BYTES)
    throw new Error(`A mail's body may have at most ${MAX_BODY_BYTES} bytes.`);
  return body;
}
