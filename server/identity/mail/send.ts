import { findMail, type MailRow, pruneMails, settleMail } from "../../../store/records/mails.ts";
import { isLoopbackName } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import type { JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { domainOf } from "./address.ts";
import { SEND_MAIL } from "./kinds.ts";
import { type Follower, type MailBody, type MailNews, placeOf, tellFollower } from "./queue.ts";

const CONNECT_MS = 10_000;
const IDLE_MS = 15_000;
/** A whole sending, within the lease of its job. */
const SEND_MS = 45_000;
const MAX_ERROR_LENGTH = 300;
const KEEP_MS = 30 * 24 * 60 * 60_000;
const IMPLICIT_TLS_PORT = 465;

type SendDeps = Pick<Deps, "store" | "hub" | "jobs" | "clock" | "config" | "vault" | "log">;
type Smtp = NonNullable<Deps["config"]["settings"]["notifications"]["smtp"]>;

/** Why a mail server did not take a mail. */
interface Refusal {
  /** Whether it says that it never will (RFC 5321, section 4.2.1). */
  isFinal: boolean;
  text: string;
}

/** Sends mail. One that a crash falls upon goes out twice, under the same Message-ID. */
export function mailHandlers(deps: SendDeps): JobHandlers {
  return [
    {
      kind: SEND_MAIL,
      // It waits for the mail server, which may hang.
      apart: { atMost: 2, perLane: 2 },
      async handle(payload, { signal }) {
        const mail = await findMail(deps.store.records, String(payload.mailId));
        const follower = payload.follower as Follower | undefined;
        if (mail?.state === "queued") return sendMail(deps, mail, follower, signal);
        const error = "Later mails took its place in the outbox before it was sent.";
        if (!mail)
          await commit(deps, (_trx, after) =>
            tellFollower(after, follower, { state: "failed", attempts: 0, error }),
          );
      },
      async onDead(payload) {
        const mail = await findMail(deps.store.records, String(payload.mailId));
        const error = "The server could not carry it out; its log tells why.";
        const follower = payload.follower as Follower | undefined;
        if (mail) await end(deps, mail, follower, { state: "failed", attempts: mail.attempts, error });
      },
    },
  ];
}

/** Notes what came of a mail that is not tried again. */
async function end(
  deps: SendDeps,
  mail: MailRow,
  follower: Follower | undefined,
  { wipe, ...news }: MailNews & { wipe?: boolean },
): Promise<void> {
  await commit(deps, async (trx, after) => {
    const isEnded = await settleMail(trx, mail.id, { ...news, ...(wipe === undefined ? {} : { wipe }) });
    if (isEnded) await tellFollower(after, follower, news);
  });
}

async function sendMail(
  deps: SendDeps,
  mail: MailRow,
  follower: Follower | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { smtp, retry_seconds } = deps.config.settings.notifications;
  const attempts = mail.attempts + 1;
  const now = deps.clock.now();
  const isSecret = mail.secret_until !== null;
  const isLate = mail.secret_until !== null && mail.secret_until <= now;
  const opened = mail.sealed && deps.vault.open(placeOf(mail), mail.sealed);
  if (smtp === null || opened === null || isLate) {
    const error = isLate ? "Its link has expired." : opened === null ? "Its text cannot be decrypted." : null;
    const state = smtp === null && error === null ? "waiting" : "failed";
    return end(deps, mail, follower, { state, attempts: mail.attempts, error, wipe: isLate });
  }
  const refusal = await hand(deps, smtp, mail, JSON.parse(opened) as MailBody, signal);
  signal.throwIfAborted();
  const wait = retry_seconds[attempts - 1];
  const retryAt = wait === undefined ? null : deps.clock.now() + wait * 1000;
  const isOver =
    refusal?.isFinal || retryAt === null || (mail.secret_until !== null && retryAt >= mail.secret_until);
  await commit(deps, async (trx, after) => {
    if (!refusal) {
      const sent_at = deps.clock.now();
      const news = { state: "sent" as const, attempts, error: null };
      await settleMail(trx, mail.id, { ...news, sent_at, wipe: isSecret });
      return tellFollower(after, follower, news);
    }
    const news = { state: isOver ? ("failed" as const) : ("queued" as const), attempts, error: refusal.text };
    await settleMail(trx, mail.id, news);
    await tellFollower(after, follower, news);
    if (!isOver)
      await after.add({
        kind: SEND_MAIL,
        payload: { mailId: mail.id, ...(follower && { follower }) },
        dedupeKey: `${mail.id} ${attempts + 1}`,
        runAt: retryAt,
      });
  });
  if (refusal)
    deps.log.warn("A mail could not be sent", { mail: mail.id, attempt: attempts, is_over: isOver });
}

/** @returns null when the mail server has taken it */
async function hand(
  deps: Pick<Deps, "clock">,
  smtp: Smtp,
  mail: MailRow,
  body: MailBody,
  signal: AbortSignal,
): Promise<Refusal | null> {
  const { createTransport } = await import("nodemailer");
  const isHere = isLoopbackName(smtp.host);
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.port === IMPLICIT_TLS_PORT,
    // A password does not cross a network in the clear.
    requireTLS: smtp.user !== null && !isHere,
    tls: { rejectUnauthorized: !isHere },
    ...(smtp.user === null ? {} : { auth: { user: smtp.user, pass: smtp.password ?? "" } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const over = new AbortController();
  const sending = transport.sendMail({
    from: smtp.from,
    to: { name: "", address: mail.recipient },
    subject: mail.subject,
    text: body.text,
    ...(body.html === undefined ? {} : { html: body.html }),
    messageId: `<${mail.id}@${domainOf(smtp.from).replace(/[^a-z0-9.-]/g, "") || "tracedeck.invalid"}>`,
    date: new Date(mail.created_at),
    ...(body.thread === undefined ? {} : threadHeaders(body.thread)),
    headers: { "Auto-Submitted": "auto-generated" },
  });
  try {
    const tooLong = deps.clock.sleep(SEND_MS, AbortSignal.any([signal, over.signal])).then(() => {
      if (!over.signal.aborted) throw new Error(`The mail server took longer than ${SEND_MS / 1000} s.`);
    });
    await Promise.race([sending, tooLong]);
    return null;
  } catch (error) {
    sending.catch(() => undefined);
    return refusalOf(error, mail);
  } finally {
    over.abort();
    transport.close();
  }
}

/** RFC 5322, section 3.6.4: a mail that nobody has got may stand at the head of a thread. */
function threadHeaders(thread: string): { inReplyTo: string; references: string } {
  const head = `<${thread}@tracedeck.invalid>`;
  return { inReplyTo: head, references: head };
}

function refusalOf(error: unknown, mail: MailRow): Refusal {
  const { code, responseCode, response, message } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
    message?: string;
  };
  const isFinal = responseCode !== undefined && responseCode >= 500;
  const answer = responseCode === undefined ? "" : `The mail server answered ${responseCode}. `;
  // A mail server may repeat what it refuses, and a secret must not stand here.
  const words = mail.secret_until === null ? (response ?? message ?? "") : code ? `(${code})` : "";
  const text = `${answer}${words}`.replace(/\p{Cc}+/gu, " ").trim();
  return { isFinal, text: text.slice(0, MAX_ERROR_LENGTH) || "The mail server could not be reached." };
}

/** Wipes links that have expired and forgets mails after 30 days. */
export function pruneMailsTask(deps: Pick<Deps, "store" | "clock">): PeriodicTask {
  return {
    name: "old mail",
    everyMs: 5 * 60_000,
    of: "store",
    run: async () => {
      const now = deps.clock.now();
      await pruneMails(deps.store.records, { now, before: now - KEEP_MS });
    },
  };
}
