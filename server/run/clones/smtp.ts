import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { Mail } from "./mail.ts";
import { parseMail } from "./mail.ts";

const LARGEST_MAIL = 2 * 1024 * 1024;
const MOST_CLIENTS = 50;
const MOST_RECIPIENTS = 100;

export interface SmtpDoor {
  /** `smtp://127.0.0.1:<port>` */
  url: string;
  close(): Promise<void>;
}

/**
 * Takes mails over SMTP (RFC 5321) on a free port of this machine: from anyone, to anyone, with any password or none.
 * @param keep what becomes of a mail; false when there is no room
 */
export async function openSmtp(keep: (mail: Mail) => boolean): Promise<SmtpDoor> {
  const server = new SMTPServer({
    name: "mail.clone.invalid",
    banner: "stand-in of a test run, delivers nothing",
    size: LARGEST_MAIL,
    maxClients: MOST_CLIENTS,
    authOptional: true,
    allowInsecureAuth: true,
    // There is no certificate that a client would take, and the way is within one machine.
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 200,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? "anyone" }),
    onRcptTo: (_address, session, done) =>
      done(session.envelope.rcptTo.length >= MOST_RECIPIENTS ? refusal(452, "Too many recipients") : null),
    async onData(stream, session, done) {
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of stream as AsyncIterable<Buffer>) {
        size += part.length;
        if (size <= LARGEST_MAIL) parts.push(part);
      }
      if (size > LARGEST_MAIL) return done(refusal(552, "The mail is larger than 2 MiB"));
      const { mailFrom, rcptTo } = session.envelope;
      try {
        const mail = await parseMail(Buffer.concat(parts), {
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
        });
        done(keep(mail) ? null : refusal(452, "There is no room for another mail"), "Kept");
      } catch (error) {
        done(refusal(550, `The mail cannot be read: ${error instanceof Error ? error.message : error}`));
      }
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Clients that go in the middle of a sentence are their own affair.
  server.on("error", () => {});
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });
