import { type Email, default as PostalMime } from "postal-mime";
import { SMTPServer } from "smtp-server";

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/** A mail server on loopback that keeps what it takes. @param options.answer what it refuses mail with, until `accept` */
export async function startMailbox(options: { answer?: { code: number; text: string } } = {}) {
  const mails: Email[] = [];
  let answer = options.answer ?? null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        if (answer) return done(Object.assign(new Error(answer.text), { responseCode: answer.code }));
        mails.push(await PostalMime.parse(Buffer.concat(chunks)));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  let isClosed = false;
  return {
    port,
    mails,
    accept: () => {
      answer = null;
    },
    close: () =>
      new Promise<void>((resolve) => {
        if (isClosed) return resolve();
        isClosed = true;
        server.close(() => resolve());
      }),
  };
}
